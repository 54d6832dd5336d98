import type { Subgraph } from './federation.ts';

/** Types with every federation feature; `generated-data.ts` generates their data. */
const people = `
  type Query {
    me: User
    users(first: Int = 3): [User]
    anyone: Being
    search(text: String, filter: Filter): [Hit!]
  }
  type Mutation { rename(id: ID!, input: Rename!): User  ping(times: Int!): Int! }
  type Subscription { renamed(id: ID): User  arrived(first: Int): [Being] found: [Hit!] }
  input Rename { name: String! = "N" rank: Rank = HIGH tags: [[String!]] }
  input Filter { rank: Rank = LOW not: Filter words: [String!] }
  enum Rank { LOW HIGH SECRET @inaccessible }
  interface Being { name: String home: Place }
  type User implements Being @key(fields: "id") @key(fields: "email") {
    id: ID! email: String! name: String @shareable home: Place rank: Rank friends(first: Int): [User] grid: [[User]!]
    hidden: String @inaccessible age: Int! motto: String past: [Being]
  }
  type Robot implements Being @key(fields: "id") { id: ID! name: String home: Place serial: Int! maker: User! }
  type Place @shareable { city: String zip: Int! }
  union Hit = User | Robot | Doc
  type Doc @key(fields: "id org { id }") { id: ID! org: Org! title: String }
  type Org @key(fields: "id") { id: ID! }`;

const shop = `
  type Query { items(first: Int): [Item] strict: [Item!]! cart: Cart }
  type Mutation { buy(id: ID!): Buy }
  type Subscription { restocked: Item!  sold(id: ID!): Buy }
  union Buy = Bought | Refused
  type Bought { item: Item by: User }
  type Refused { reason: String! code: Int }
  interface Item @key(fields: "id") { id: ID! price(currency: Cur = EUR): Int owner: User }
  enum Cur { EUR USD }
  type Book implements Item @key(fields: "id") { id: ID! price(currency: Cur = EUR): Int owner: User pages: Int! sequel: Book }
  type Toy implements Item @key(fields: "id") { id: ID! price(currency: Cur = EUR): Int owner: User parts: [[Part]] goesWith: [Item!] }
  type Part { label: String! weight: Float near: Place }
  type Place @shareable { city: String zip: Int! }
  type Cart { user: User @provides(fields: "name") items: [Item] total: Int! }
  type User @key(fields: "id") {
    id: ID! age: Int! @external home: Place @external name: String @external
    discount(pct: Int): Int @requires(fields: "age home { zip }") bought: [Item]
  }`;

const reviews = `
  type Query { reviews(first: Int): [Review] bestItem: Item }
  type Subscription { reviewed: Review  rated: [Item!] }
  enum Cur { EUR USD }
  type Item @key(fields: "id") @interfaceObject {
    id: ID! price(currency: Cur = EUR): Int @external reviews: [Review] stars: Float!
    worth: Int @requires(fields: "price(currency: USD)")
  }
  type Review @key(fields: "id") { id: ID! text(upper: Boolean = false): String! item: Item by: User about: Subject kin: [Subject!] }
  union Subject = User | Robot
  type User @key(fields: "email") { email: String! reviews(min: Int): [Review!] motto: String @override(from: "people") }
  type Robot @key(fields: "id") {
    id: ID! serial: Int! @external rating: Int! @requires(fields: "serial") reviews: [Review]
  }`;

const docs = `
  type Query { docs: [Doc] }
  type Subscription { written: Doc! }
  type Doc @key(fields: "id org { id }") {
    id: ID! org: Org! body: String author: User sheets: [[Int!]] json: JSON
    summary: String @requires(fields: "title") title: String @external
  }
  type Org @key(fields: "id") { id: ID! name: String! docs: [Doc] boss: User }
  type User @key(fields: "id") { id: ID! docs(first: Int = 2): [Doc] rank: Rank @external badge: String @requires(fields: "rank") }
  enum Rank { LOW HIGH SECRET @inaccessible }
  scalar JSON`;

export const world: Subgraph[] = Object.entries({ people, shop, reviews, docs }).map(([name, typeDefs]) => ({ name, typeDefs }));
