import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';

/** The sources of the enrichment of a brand or category. */
export type ReferenceData = { mode: 'products'; productIds: string[] } | { mode: 'websearch'; urls: string[] };

export const ReferenceDataScalar = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  name: 'ReferenceData',
  description:
    'The source of the values of a brand or category: `mode` `products` with `productIds`, or `mode` `websearch` with `urls`.',
});
