import { products as rows } from './records.ts';
import { by, subgraph } from './subgraph.ts';

const sdl = `
  type Query {
    topProducts(first: Int = 5): [Product]
  }
  type Product @key(fields: "upc") {
    upc: String!
    name: String
    price: Int
    weight: Int
  }
`;

const productByUpc = by(rows, 'upc');

export const products = subgraph('products', sdl, {
  Query: { topProducts: (_: unknown, { first }: { first: number }) => rows.slice(0, first) },
  Product: { __resolveReference: ({ upc }: { upc: string }) => productByUpc.get(upc) },
});
