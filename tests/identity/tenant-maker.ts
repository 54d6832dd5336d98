import type { caller } from '../support/client.ts';

/** Sends operations as the tenant. */
export type Maker = {
  graphql: ReturnType<typeof caller>['graphql'];
  idOf: (query: string, variables: Record<string, unknown>) => Promise<string>;
};
