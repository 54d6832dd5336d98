import { ApolloGateway } from '@apollo/gateway';
import type { ExecutionArgs, GraphQLFormattedError } from 'graphql';
import { buildSchema, execute, isInterfaceType, parse } from 'graphql';
import type { Federation } from './federation.ts';
import { plain, quiet } from './federation.ts';

export interface Answer {
  data?: unknown;
  errors?: readonly GraphQLFormattedError[];
}

export type Oracle = (text: string, variables?: Record<string, unknown>) => Promise<Answer>;

/** Apollo's gateway for the same subgraphs, whose responses are the reference. */
export async function oracleOf(
  { supergraph, schemas }: Federation,
  resolvers: () => Pick<ExecutionArgs, 'fieldResolver' | 'typeResolver'> = () => ({}),
): Promise<Oracle> {
  const supergraphTypes = buildSchema(supergraph, { assumeValid: true });
  const gateway = new ApolloGateway({
    supergraphSdl: supergraph,
    logger: quiet,
    buildService: ({ name }) => ({
      async process({ request }) {
        const { data, errors } = await execute({
          ...resolvers(),
          schema: schemas[name]!,
          document: parse(request.query!),
          variableValues: request.variables,
        });
        // An interface object returns the interface as __typename, and Apollo loses the concrete type.
        for (const entity of (data?._entities ?? []) as ({ __typename?: string } | null)[]) {
          if (isInterfaceType(supergraphTypes.getType(entity?.__typename ?? ''))) delete entity!.__typename;
        }
        return plain({ data: data as Record<string, unknown>, errors: errors?.map((error) => error.toJSON()) });
      },
    }),
  });
  const { executor } = await gateway.load();
  return async (text, variables = {}) => {
    const context = { request: { query: text, variables }, document: parse(text), queryHash: text, metrics: {}, context: {} };
    return plain((await executor(context as never)) as Answer);
  };
}
