import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';

/** What a brand or category was enriched from. */
export type ReferenceData = { mode: 'products'; productIds: string[] } | { mode: 'websearch'; urls: string[] };

export const ReferenceDataScalar = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  name: 'ReferenceData',
  description:
    'The source of the values of a brand or category: `mode` `products` with `productIds`, or `mode` `websearch` with `urls`.',
});
