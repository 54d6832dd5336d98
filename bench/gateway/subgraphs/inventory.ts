import { products } from './records.ts';
import { by, subgraph } from './subgraph.ts';

const sdl = `
  type Product @key(fields: "upc") {
    upc: String!
    price: Int @external
    weight: Int @external
    inStock: Boolean
    shippingEstimate: Int @requires(fields: "price weight")
  }
`;

interface Stocked {
  upc: string;
  inStock: boolean;
  price?: number;
  weight?: number;
}

const productByUpc = by(products, 'upc');

export const inventory = subgraph('inventory', sdl, {
  Product: {
    __resolveReference: ({ upc, price, weight }: Stocked) => ({ upc, price, weight, inStock: productByUpc.get(upc)?.inStock }),
    // Expensive products ship free.
    shippingEstimate: ({ price = 0, weight = 0 }: Stocked) => (price > 1_000 ? 0 : Math.round(weight / 2)),
  },
});
