import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import type { RequestScope } from '../../platform/scope/index.ts';
import { inProcess, withEntities } from '../../platform/subgraph/build-subgraph.ts';

const typeDefs = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { any: Boolean }
  interface Shape @key(fields: "id") { id: ID! }
  type Circle implements Shape @key(fields: "id") { id: ID! radius: Int }
  type Lamp @key(fields: "id") { id: ID! watts: Int }
  type Note @key(fields: "id") { id: ID! }
`);
const kept = new Map([
  ['1', Object.freeze({ id: '1', watts: 10 })],
  ['2', { id: '2', watts: 20 }],
]);
const schema = buildSubgraphSchema([
  {
    typeDefs,
    resolvers: withEntities({
      Lamp: {
        __resolveReference({ id }: { id: string }) {
          if (id === 'bad') throw new Error('No such lamp');
          if (id === 'late') return Promise.resolve({ id, watts: 30 });
          return id === 'later' ? Promise.reject(new Error('Lost')) : kept.get(id);
        },
      },
      Shape: {
        __resolveReference: ({ id }: { id: string }) => ({ __typename: 'Circle', id, radius: 4 }),
        __resolveType: ({ __typename }: { __typename: string }) => __typename,
      },
    }),
  },
]);
const source = inProcess({ schema }, async () => ({ selected: { id: 'an organization' } }) as RequestScope);
const text =
  'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ... on Lamp { id watts } ... on Note { id } ... on Circle { radius } } }';
const document = parse(text);
const ask = (...representations: object[]) =>
  source.execute({ document, text, variables: { representations }, context: { headers: {} } });
const lamp = (id: string) => ({ __typename: 'Lamp', id });

test('entities are returned in the order of their references, including cached and unknown ones', async () => {
  const note = { __typename: 'Note', id: '7' };
  expect(await ask(lamp('2'), lamp('late'), lamp('none'), note, lamp('1'), lamp('2'))).toEqual({
    data: {
      _entities: [
        { __typename: 'Lamp', id: '2', watts: 20 },
        { __typename: 'Lamp', id: 'late', watts: 30 },
        null,
        note,
        { __typename: 'Lamp', id: '1', watts: 10 },
        { __typename: 'Lamp', id: '2', watts: 20 },
      ],
    },
  });
});

test('a failing reference does not affect others', async () => {
  const { data, errors } = await ask(lamp('2'), lamp('bad'), lamp('later'));
  expect(data?._entities).toEqual([expect.objectContaining({ watts: 20 }), null, null]);
  expect(errors?.map(({ path }) => path)).toEqual([
    ['_entities', 1],
    ['_entities', 2],
  ]);
});

test('the concrete type of an interface is resolved', async () => {
  expect(await ask({ __typename: 'Shape', id: '5' })).toEqual({ data: { _entities: [{ __typename: 'Circle', radius: 4 }] } });
});

test('a missing type is reported', async () => {
  const { errors } = await ask({ __typename: 'Chair', id: '5' });
  expect(errors).toHaveLength(1);
});
