import type { GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { GraphQLError } from 'graphql';

/** The root type of an operation. Throws when the schema lacks it, because standard validation accepts such an operation. */
export function rootTypeOf(schema: GraphQLSchema, { operation }: OperationDefinitionNode): GraphQLObjectType {
  const type = schema.getRootType(operation);
  if (type) return type;
  throw new GraphQLError(`The schema has no ${operation}s`, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
}
