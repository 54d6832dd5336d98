import { query, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';

/** The files that exist, in the order of their ids. They cannot be deleted until the transaction commits. */
export const holdFiles = ({ em, organizationId }: Scope, ids: readonly string[]): Promise<{ id: string }[]> =>
  query(
    em,
    sql<{ id: string }>`select id from catalog.files
       where id = any(${ids}::uuid[]) and organization_id = ${organizationId} and ready order by id for key share`,
  );
