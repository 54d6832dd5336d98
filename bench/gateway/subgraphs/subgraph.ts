import { buildSubgraphSchema, type GraphQLResolverMap } from '@apollo/subgraph';
import { type DocumentNode, type GraphQLSchema, parse } from 'graphql';
import { withEntities } from '../../../platform/subgraph/build-subgraph.ts';

/** A subgraph of the benchmark: its SDL and its resolvers. */
export interface BenchSubgraph {
  name: string;
  typeDefs: DocumentNode;
  schema: GraphQLSchema;
}

const FEDERATION =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@requires", "@provides", "@external", "@shareable"])\n';

export function subgraph(name: string, sdl: string, resolvers: GraphQLResolverMap<unknown>): BenchSubgraph {
  const typeDefs = parse(FEDERATION + sdl);
  return { name, typeDefs, schema: buildSubgraphSchema([{ typeDefs, resolvers: withEntities(resolvers) }]) };
}

/** Index records by one field. */
export const by = <Row, Key extends keyof Row>(rows: readonly Row[], key: Key): Map<Row[Key], Row> =>
  new Map(rows.map((row) => [row[key], row]));
