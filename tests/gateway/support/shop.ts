import type { Subgraph } from './federation.ts';

type Row = Record<string, unknown>;
const byId = (rows: Row[]) => (id: unknown) => rows.find((row) => row.id === id) ?? null;
const fails =
  (message: string, code = 'CONFLICT') =>
  () => {
    throw Object.assign(new Error(message), { extensions: { code } });
  };

const authors: Row[] = [
  { __typename: 'Author', id: 'a1', name: 'Ada', penName: 'A.' },
  { __typename: 'Author', id: 'a2', name: 'Ben', penName: fails('No pen name') },
  { __typename: 'Author', id: 'a3', name: null, penName: 'C.' },
];
const books: Row[] = [
  { __typename: 'Book', id: 'b1', name: 'Graphs', price: 10, isbn: '1', pages: 100, author: authors[0], kind: 'PAPER' },
  {
    __typename: 'Book',
    id: 'b2',
    name: 'Plans',
    price: null,
    isbn: '2',
    pages: fails('Pages are glued'),
    author: authors[1],
    kind: 'DIGITAL',
  },
  { __typename: 'Book', id: 'b3', name: null, price: 30, isbn: null, pages: 3, author: authors[2], kind: 'SECRET' },
  { __typename: 'Book', id: 'b4', name: 'Lost', price: 40, isbn: '4', pages: 4, author: null, kind: null },
];
const toys: Row[] = [
  {
    __typename: 'Toy',
    id: 't1',
    name: 'Car',
    price: 5,
    ages: [3, 4],
    size: { w: 2, h: 3 },
    parts: [[{ label: 'wheel', weight: 0.5 }, null], [], null, [{ label: 'door', weight: 2 }]],
    extra: { constructor: 1, list: [{ a: null }] },
  },
  {
    __typename: 'Toy',
    id: 't2',
    name: 'Kite',
    price: 7,
    ages: null,
    size: null,
    parts: [[{ label: null, weight: 1 }]],
    extra: [1, 'x'],
  },
];
const media: Row[] = [
  { __typename: 'Film', id: 'm1', title: 'Reel', minutes: 90 },
  { __typename: 'Song', id: 'm2', title: 'Tune' },
];
const secret = { __typename: 'Hidden', id: 'h1', name: 'Hidden' };
const items = [...books, ...toys];

const catalog: Subgraph = {
  name: 'catalog',
  typeDefs: `
    type Query {
      items(first: Int = 10): [Item]
      strictItems: [Item!]!
      books: [Book!]
      book(id: ID!): Book
      toys: [Toy]
      shelf: [[Item]]
      things: [Thing]
      media: [Media!]
      author(id: ID! = "a1"): Author!
      broken: String!
      maybe: String
      odd: Item
    }
    type Mutation { rename(input: Rename!): Book  touch(id: ID!): Touched }
    type Touched { id: ID! query: Query item: Item }
    input Rename { id: ID! name: String = "New" tags: [String!] }
    interface Item { id: ID! name: String price: Int }
    type Book implements Item @key(fields: "id") {
      id: ID! name: String price: Int isbn: String! pages: Int author: Author kind: Kind
    }
    type Toy implements Item @key(fields: "id") {
      id: ID! name: String price: Int ages: [Int!] size: Size @shareable parts: [[Part]] extra: JSON
    }
    type Hidden implements Item @inaccessible { id: ID! name: String price: Int }
    enum Kind { PAPER DIGITAL SECRET @inaccessible }
    scalar JSON
    union Thing = Book | Toy | Author
    type Author @key(fields: "id") { id: ID! name: String @shareable penName: String! bio: String books: [Book] }
    type Part { label: String! weight: Float }
    type Size @shareable { w: Int h: Int }
    interface Media @key(fields: "id") { id: ID! title: String }
    type Film implements Media @key(fields: "id") { id: ID! title: String minutes: Int }
    type Song implements Media @key(fields: "id") { id: ID! title: String }`,
  resolvers: {
    Query: {
      items: (_: unknown, { first }: { first: number }) => items.slice(0, first),
      strictItems: () => items,
      books: () => books,
      book: (_: unknown, { id }: { id: string }) => byId(books)(id),
      toys: () => [toys[0], null, toys[1]],
      shelf: () => [[books[0], toys[0]], null, [], [null, books[2]]],
      things: () => [books[1], authors[0], toys[1], null, authors[1]],
      media: () => media,
      author: (_: unknown, { id }: { id: string }) => byId(authors)(id),
      broken: fails('Broken', 'NOT_FOUND'),
      maybe: fails('Perhaps not', 'FORBIDDEN'),
      odd: () => secret,
    },
    Mutation: {
      rename: (_: unknown, { input }: { input: Row }) => ({ ...books[0], name: `${input.name} ${input.tags ?? ''}` }),
      touch: (_: unknown, { id }: { id: string }) => ({ id, query: {}, item: byId(items)(id) }),
    },
    Book: { __resolveReference: ({ id }: Row) => byId(books)(id) },
    Toy: { __resolveReference: ({ id }: Row) => byId(toys)(id) },
    Author: {
      __resolveReference: ({ id }: Row) => byId(authors)(id),
      books: ({ id }: Row) => books.filter(({ author }) => (author as Row | null)?.id === id),
    },
    Film: { __resolveReference: ({ id }: Row) => byId(media)(id) },
    Song: { __resolveReference: ({ id }: Row) => byId(media)(id) },
    Media: { __resolveReference: ({ id }: Row) => byId(media)(id) },
  } as never,
};

const stock: Subgraph = {
  name: 'stock',
  typeDefs: `
    type Query { warehouses: [Warehouse!] }
    interface Item { id: ID! }
    type Book implements Item @key(fields: "id") {
      id: ID! price: Int @external shipping: Int @requires(fields: "price") inStock: Boolean! warehouse: Warehouse
    }
    type Toy implements Item @key(fields: "id") {
      id: ID! size: Size @external volume(unit: String = "cm"): String @requires(fields: "size { w h }") inStock: Boolean! warehouse: Warehouse
    }
    type Size @shareable { w: Int h: Int }
    type Warehouse @key(fields: "id") { id: ID! city: String! items: [Item] grid: [[Item!]!] }`,
  resolvers: {
    Query: { warehouses: () => [{ id: 'w1' }, { id: 'w2' }] },
    Book: {
      __resolveReference: (row: Row) => (row.id === 'b2' ? fails('b2 is unknown', 'NOT_FOUND')() : row),
      shipping: ({ price }: Row) => (price === null ? null : Number(price) * 2),
      inStock: ({ id }: Row) => (id === 'b4' ? fails('Counting')() : id === 'b1'),
      warehouse: ({ id }: Row) => ({ id: id === 'b1' ? 'w1' : 'w2' }),
    },
    Toy: {
      __resolveReference: (row: Row) => (row.id === 't2' ? null : row),
      volume: ({ size }: Row, { unit }: Row) => (size ? `${Number((size as Row).w) * Number((size as Row).h)}${unit}` : null),
      inStock: () => true,
      warehouse: () => ({ id: 'w1' }),
    },
    Warehouse: {
      __resolveReference: (row: Row) => row,
      city: ({ id }: Row) => (id === 'w2' ? null : 'Ulm'),
      items: () => [
        { __typename: 'Book', id: 'b3' },
        { __typename: 'Toy', id: 't1' },
        { __typename: 'Book', id: 'gone' },
      ],
      grid: () => [
        [{ __typename: 'Book', id: 'b1' }],
        [
          { __typename: 'Toy', id: 't2' },
          { __typename: 'Book', id: 'b1' },
        ],
      ],
    },
  } as never,
};

const reviewRows: Row[] = [
  { id: 'r1', body: 'Good', stars: 5, author: { id: 'a1', name: 'Ada' }, item: { __typename: 'Book', id: 'b1' } },
  { id: 'r2', body: fails('Unreadable'), stars: 1, author: { id: 'a2', name: 'Ben' }, item: { __typename: 'Toy', id: 't1' } },
  { id: 'r3', body: null, stars: null, author: null, item: { __typename: 'Book', id: 'b3' } },
];
const reviews: Subgraph = {
  name: 'reviews',
  typeDefs: `
    type Query { topReviews: [Review] topMedia: [Media] review(id: ID!): Review }
    type Subscription { reviewed(id: ID): Review  refused: Review! }
    interface Item { id: ID! }
    type Book implements Item @key(fields: "id") { id: ID! reviews: [Review!] rating: Float }
    type Toy implements Item @key(fields: "id") { id: ID! reviews: [Review!] rating: Float! }
    type Review @key(fields: "id") { id: ID! body(upper: Boolean = false): String stars: Int! author: Author @provides(fields: "name") item: Item }
    type Author @key(fields: "id") { id: ID! name: String @external reviews: [Review] bio: String @override(from: "catalog") }
    type Media @key(fields: "id") @interfaceObject { id: ID! likes: Int! comments: [String!] }`,
  resolvers: {
    Query: {
      topReviews: () => reviewRows,
      topMedia: () => [{ id: 'm1' }, { id: 'm2' }, { id: 'gone' }],
      review: (_: unknown, { id }: Row) => byId(reviewRows)(id),
    },
    Subscription: {
      reviewed: {
        async *subscribe(_: unknown, { id }: Row) {
          for (const row of reviewRows) if (!id || row.id === id) yield { reviewed: row };
        },
      },
      refused: { subscribe: fails('Not for you', 'FORBIDDEN') },
    },
    Book: {
      __resolveReference: (row: Row) => (row.id === 'b4' ? null : row),
      reviews: ({ id }: Row) => reviewRows.filter(({ item, stars }) => stars && (item as Row).id === id),
      rating: ({ id }: Row) => (id === 'b3' ? fails('No ratings')() : 4.5),
    },
    Toy: {
      __resolveReference: (row: Row) => row,
      reviews: ({ id }: Row) => reviewRows.filter(({ item }) => (item as Row).id === id),
      rating: ({ id }: Row) => (id === 't2' ? fails('Too young')() : 3),
    },
    Review: { __resolveReference: ({ id }: Row) => byId(reviewRows)(id) },
    Author: {
      __resolveReference: (row: Row) => row,
      reviews: ({ id }: Row) => [null, ...reviewRows.filter(({ author }) => (author as Row | null)?.id === id)],
      bio: ({ id }: Row) => `Bio of ${id}`,
    },
    Media: {
      __resolveReference: (row: Row) => row,
      likes: ({ id }: Row) => (id === 'm2' ? fails('No likes')() : 7),
      comments: () => ['nice'],
    },
  } as never,
};

/** A shop that uses every federation feature, with missing data and failures. */
export const shop: Subgraph[] = [catalog, stock, reviews];
