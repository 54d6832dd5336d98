import { reviews as rows, users } from './records.ts';
import { by, subgraph } from './subgraph.ts';

const sdl = `
  type Review @key(fields: "id") {
    id: ID!
    body: String
    author: User @provides(fields: "username")
    product: Product
  }
  type User @key(fields: "id") {
    id: ID!
    username: String @external
    reviews: [Review]
  }
  type Product @key(fields: "upc") {
    upc: String!
    reviews: [Review]
  }
`;

type Row = (typeof rows)[number];

const reviewById = by(rows, 'id');
const userById = by(users, 'id');
const ofAuthor = Map.groupBy(rows, ({ author }) => author);
const ofProduct = Map.groupBy(rows, ({ product }) => product);

export const reviews = subgraph('reviews', sdl, {
  Review: {
    __resolveReference: ({ id }: { id: string }) => reviewById.get(id),
    author: ({ author }: Row) => ({ id: author, username: userById.get(author)?.username }),
    product: ({ product }: Row) => ({ upc: product }),
  },
  User: { reviews: ({ id }: { id: string }) => ofAuthor.get(id) ?? [] },
  Product: { reviews: ({ upc }: { upc: string }) => ofProduct.get(upc) ?? [] },
});
