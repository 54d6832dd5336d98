import type { Authorization, SourceRequest } from 'compiled-gateway';
import { parse } from 'graphql';
import { createGateway } from '../../gateway/compiled-gateway.ts';
import { drain, federate, gatewayOf, plain, read, sourceOf, subgraph } from './support/federation.ts';

const user = { __typename: 'User', id: 'u1', name: 'Ada', email: 'ada@example.com', salary: 9, rank: 'HIGH', secret: { code: 7 } };
const users = subgraph(
  'users',
  `type Query { me: User  users: [[User!]!]  all(first: Int): [User!]!  nodes: [Node]  things: [Thing]  vault: Vault  level: Rank  open: String  strict: User! }
   type Mutation { rename: String @authenticated  ping: String  create: User! }
   type Subscription { ticks: Tick  hidden: Int @authenticated }
   type Tick { at: Int  by: String @authenticated }
   interface Node { id: ID! }
   union Thing = User | Vault
   type User implements Node @key(fields: "id") {
     id: ID!  name: String
     email: String @authenticated
     salary: Int! @requiresScopes(scopes: [["read:salary", "read:user"], ["admin"]])
     rank: Rank
     secret: Vault
   }
   type Vault @policy(policies: [["owner"], ["keeper", "awake"]]) { code: Int }
   enum Rank @authenticated { LOW HIGH }`,
  {
    Query: {
      me: () => user,
      users: () => [[user]],
      all: () => [user],
      nodes: () => [user],
      things: () => [user, { __typename: 'Vault', code: 1 }],
      vault: () => ({ code: 1 }),
      level: () => 'LOW',
      open: () => 'yes',
      strict: () => user,
    },
    Mutation: { rename: () => 'renamed', ping: () => 'pong', create: () => user },
    Subscription: {
      ticks: {
        subscribe: async function* () {
          yield { ticks: { at: 1, by: 'clock' } };
        },
      },
      hidden: { subscribe: async function* () {} },
    },
  },
);
const reviews = subgraph(
  'reviews',
  'type Query { latest: [Review] } type Review { text: String } type User @key(fields: "id") { id: ID!  reviews: [Review] @authenticated }',
  { User: { __resolveReference: (it: object) => it, reviews: () => [{ text: 'Good' }] } },
);
const federation = federate([users, reviews]);

const known: Authorization = { isAuthenticated: true };

async function run(text: string, authorization?: Authorization, variables = {}, more = {}) {
  const seen: SourceRequest[] = [];
  const gateway = gatewayOf(federation, more, seen);
  const answer = await gateway.operation(parse(text)).execute(variables, { headers: {}, authorization });
  const result = read(answer);
  return { ...result, denied: result.errors?.map(({ path }) => path?.join('.')), asked: seen.map(({ text: sent }) => sent) };
}

test('a field that needs a known caller is null for others, with an error, and no subgraph is asked for it', async () => {
  const { data, errors, asked } = await run('{ me { name email reviews { text } } }');
  expect(data).toEqual({ me: { name: 'Ada', email: null, reviews: null } });
  expect(errors).toEqual([
    { message: 'Unauthorized field or type', path: ['me', 'email'], extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } },
    { message: 'Unauthorized field or type', path: ['me', 'reviews'], extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } },
  ]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).not.toContain('email');
});

test('a known caller gets it', async () => {
  const { data, errors } = await run('{ me { name email reviews { text } } }', known);
  expect(data).toEqual({ me: { name: 'Ada', email: user.email, reviews: [{ text: 'Good' }] } });
  expect(errors).toBeUndefined();
});

test.each<[string[], boolean]>([
  [[], false],
  [['read:salary'], false],
  [['read:salary', 'read:user'], true],
  [['admin'], true],
  [['adminx', 'read:salary read:user'], false],
])('the scopes %j satisfy one of the lists: %s', async (scopes, isAllowed) => {
  const { data } = await run('{ me { id salary } }', { isAuthenticated: true, scopes });
  // The field is not nullable.
  expect(data).toEqual({ me: isAllowed ? { id: 'u1', salary: 9 } : null });
});

test.each<[string[], boolean]>([
  [['owner'], true],
  [['keeper'], false],
  [['keeper', 'awake'], true],
])('the policies %j satisfy one of the lists: %s', async (met, isAllowed) => {
  const asked: string[][] = [];
  const policies = async (names: readonly string[]) => {
    asked.push([...names]);
    return met;
  };
  const { data } = await run('{ vault { code } me { secret { code } } }', { isAuthenticated: false, policies });
  expect(data).toEqual({ vault: isAllowed ? { code: 1 } : null, me: { secret: isAllowed ? { code: 7 } : null } });
  expect(asked).toEqual([['owner', 'keeper', 'awake']]);
});

test('when nothing is allowed no subgraph is asked', async () => {
  const { data, denied, asked } = await run('{ level vault { code } }');
  expect(data).toEqual({ level: null, vault: null });
  expect(denied).toEqual(['level', 'vault']);
  expect(asked).toEqual([]);
});

test('an object of which nothing else is selected is not null', async () => {
  const { data, denied, asked } = await run(
    '{ open all(first: 1) { email } things { ... on User { email } } me { ...E } } fragment E on User { email }',
  );
  expect(data).toEqual({ open: 'yes', all: [{ email: null }], things: [{ email: null }, {}], me: { email: null } });
  expect(denied).toEqual(['all.@.email', 'things.@.email', 'me.email']);
  expect(asked.join()).not.toContain('email');
  expect((await run('mutation { create { email } }')).data).toEqual({ create: { email: null } });
});

test('an enum with a rule protects every field of its type', async () => {
  const { data, denied } = await run('{ users { name rank other: rank } open }');
  expect(data).toEqual({ users: [[{ name: 'Ada', rank: null, other: null }]], open: 'yes' });
  expect(denied).toEqual(['users.@.@.rank', 'users.@.@.other']);
});

test('a fragment on a type with a rule is left out', async () => {
  const { data, denied } = await run('{ things { __typename ... on Vault { code } ...U } } fragment U on User { name email }');
  expect(data).toEqual({
    things: [
      { __typename: 'User', name: 'Ada', email: null },
      { __typename: 'Vault', code: null },
    ],
  });
  expect(denied).toEqual(['things.@.code', 'things.@.email']);
});

test('conditions of a field hold for its error', async () => {
  const text = 'query ($a: Boolean!) { me { name ... @include(if: $a) { email } } open @skip(if: $a) }';
  const { data, errors } = await run(text, undefined, { a: false });
  expect(data).toEqual({ me: { name: 'Ada' }, open: 'yes' });
  expect(errors).toBeUndefined();
  expect(await run(text, undefined, { a: true })).toMatchObject({
    data: { me: { name: 'Ada', email: null } },
    denied: ['me.email'],
  });
});

test('aliases cannot take the place of a protected field', async () => {
  const { data, denied } = await run('{ me { name: email email: name id: salary } }', known);
  expect(data).toEqual({ me: null });
  expect(denied).toEqual(['me.id']);
});

test('a null of a required field without any allowed parent makes the data null', async () => {
  const { data, denied } = await run('{ open strict { salary } }');
  expect(data).toBeNull();
  expect(denied).toEqual(['strict.salary']);
});

test('one mutation is refused and the other runs', async () => {
  const { data, denied, asked } = await run('mutation { rename ping }');
  expect(data).toEqual({ rename: null, ping: 'pong' });
  expect(denied).toEqual(['rename']);
  expect(asked).toHaveLength(1);
});

test('operations with a refused field can be rejected whole', async () => {
  const { data, denied, asked } = await run('{ open me { email } }', undefined, {}, { rejectUnauthorized: true });
  expect(data).toBeUndefined();
  expect(denied).toEqual(['me.email']);
  expect(asked).toEqual([]);
});

test('a subscription leaves out the field in each event, or is refused', async () => {
  const gateway = gatewayOf(federation);
  const subscribe = (text: string) => gateway.operation(parse(text)).subscribe({}, { headers: {} });
  const events = await drain((await subscribe('subscription { ticks { at by } }')) as never);
  expect(events).toMatchObject([{ data: { ticks: { at: 1, by: null } }, errors: [{ path: ['ticks', 'by'] }] }]);
  expect(plain(await subscribe('subscription { hidden }'))).toMatchObject({ errors: [{ path: ['hidden'] }] });
});

test('a deferred fragment with a refused field is answered whole', async () => {
  const gateway = gatewayOf(federation);
  const operation = gateway.operation(parse('{ me { name ... @defer { id email } } }'));
  const { deferred, ...answer } = await operation.executeInParts!({}, { headers: {} });
  expect(deferred).toBeUndefined();
  expect(read(answer)).toMatchObject({ data: { me: { name: 'Ada', id: 'u1', email: null } }, errors: [{ path: ['me', 'email'] }] });
  expect((await operation.executeInParts!({}, { headers: {}, authorization: known })).deferred).toBeDefined();
});

test('a field of an interface needs what all its implementations need, unless a fragment names the type', async () => {
  const animals = subgraph(
    'animals',
    `type Query { pets: [Pet] }
     interface Pet { name: String }
     type Dog implements Pet { name: String }
     type Cat implements Pet { name: String @authenticated }`,
    {
      Query: {
        pets: () => [
          { __typename: 'Dog', name: 'Rex' },
          { __typename: 'Cat', name: 'Tom' },
        ],
      },
    },
  );
  const { supergraph, schemas } = federate([animals]);
  // Supergraphs of older versions of composition have the rule only at the implementation.
  const older = supergraph.replace(/(interface Pet[^{]*\{\s*name: String) @authenticated/, '$1');
  for (const sdl of [supergraph, older]) {
    const gateway = createGateway({ supergraph: sdl, sources: { animals: sourceOf(schemas.animals!) } });
    const ask = async (text: string) => read(await gateway.operation(parse(text)).execute({}, { headers: {} }));
    expect(await ask('{ pets { name } }')).toMatchObject({
      data: { pets: [{ name: null }, { name: null }] },
      errors: [{ path: ['pets', '@', 'name'] }],
    });
    expect(await ask('{ pets { ... on Dog { name } ... on Cat { name } } }')).toMatchObject({
      data: { pets: [{ name: 'Rex' }, { name: null }] },
    });
  }
  expect(older).not.toBe(supergraph);
});

describe('a field that the plan fetches for its own use', () => {
  const lamp = { __typename: 'Product', sku: 's1', weight: 7, name: 'Lamp' };
  const stock = subgraph(
    'stock',
    `type Query { lamp: Product  items: [Item] }
     type Subscription { sold: Product }
     union Item = Product
     type Product @key(fields: "sku") { sku: ID @authenticated  weight: Int @authenticated  name: String }`,
    {
      Query: { lamp: () => lamp, items: () => [lamp] },
      Subscription: {
        sold: {
          subscribe: async function* () {
            yield { sold: lamp };
          },
        },
      },
    },
  );
  const shipping = subgraph(
    'shipping',
    `type Product @key(fields: "sku") {
       sku: ID  price: Int  weight: Int @external  cost: Int @requires(fields: "weight") @authenticated
     }`,
    { Product: { __resolveReference: (it: object) => it, price: () => 5, cost: () => 3 } },
  );
  const composed = federate([stock, shipping]);
  // Supergraphs of older versions of composition can have a field without a rule that requires one with a rule.
  const older = { ...composed, supergraph: composed.supergraph.replace(/(requires: "weight"\)) @authenticated/, '$1') };
  const ask = async (text: string) => read(await gatewayOf(older).operation(parse(text)).execute({}, { headers: {} }));
  const denials = (...paths: string[][]) => paths.map((path) => expect.objectContaining({ path }));

  test('stays hidden from those who may not select it', async () => {
    expect(older.supergraph).not.toBe(composed.supergraph);
    expect(await ask('{ lamp { sku price } }')).toEqual({
      data: { lamp: { sku: null, price: 5 } },
      errors: denials(['lamp', 'sku']),
    });
    expect(await ask('{ lamp { ...A cost ...A } } fragment A on Product { weight }')).toEqual({
      data: { lamp: { weight: null, cost: null } },
      errors: denials(['lamp', 'weight'], ['lamp', 'cost']),
    });
    expect(await ask('{ items { ... on Product { price sku @include(if: true) } } }')).toMatchObject({
      data: { items: [{ price: 5, sku: null }] },
    });
  });

  test('protects the fields that are computed from it, also through others', async () => {
    const parcels = subgraph(
      'parcels',
      `type Product @key(fields: "sku") { sku: ID  cost: Int @external  fee: Int @requires(fields: "cost") @authenticated }`,
      { Product: { __resolveReference: (it: object) => it, fee: ({ cost }: { cost: number }) => cost * 2 } },
    );
    const { supergraph, schemas } = federate([stock, shipping, parcels]);
    const withoutRules = { supergraph: supergraph.replace(/(requires: "\w+"\)) @authenticated/g, '$1'), schemas };
    const price = async (authorization?: Authorization) =>
      read(await gatewayOf(withoutRules).operation(parse('{ lamp { name fee } }')).execute({}, { headers: {}, authorization }));
    expect(await price()).toMatchObject({ data: { lamp: { name: 'Lamp', fee: null } }, errors: [{ path: ['lamp', 'fee'] }] });
    expect(await price(known)).toEqual({ data: { lamp: { name: 'Lamp', fee: 6 } } });
  });

  test('stays hidden in events', async () => {
    const operation = gatewayOf(older).operation(parse('subscription { sold { price sku } }'));
    const events = await drain((await operation.subscribe({}, { headers: {} })) as never);
    expect(events).toMatchObject([{ data: { sold: { price: 5, sku: null } } }]);
  });
});
