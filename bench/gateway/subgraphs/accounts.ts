import { users } from './records.ts';
import { by, subgraph } from './subgraph.ts';

const sdl = `
  type Query {
    me: User
    user(id: ID!): User
    users: [User]
  }
  type User @key(fields: "id") {
    id: ID!
    name: String
    username: String @shareable
    birthday: Int
  }
`;

const userById = by(users, 'id');

export const accounts = subgraph('accounts', sdl, {
  Query: {
    me: () => users[0],
    user: (_: unknown, { id }: { id: string }) => userById.get(id),
    users: () => users,
  },
  User: { __resolveReference: ({ id }: { id: string }) => userById.get(id) },
});
