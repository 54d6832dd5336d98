import type { SourceRequest } from 'compiled-gateway';
import { ask, federate, gatewayOf, subgraph } from '../support/federation.ts';

const rows = { a: { id: 'a', weight: 3 }, b: { id: 'b', weight: 5 }, c: { id: 'c', weight: 7 } };
const fails = (message: string) => {
  throw new Error(message);
};

const federation = federate([
  subgraph(
    'shop',
    `type Query { shelf: Shelf }
     type Shelf { first: Item items: [Item] box: Box }
     type Box { items: [Item] }
     type Item @key(fields: "id") { id: ID! }`,
    {
      Query: {
        shelf: () => ({ first: rows.a, items: [rows.a, rows.b, null], box: { items: [rows.b, rows.c] } }),
      },
    },
  ),
  subgraph('stock', 'type Item @key(fields: "id") { id: ID! weight: Int note(of: String): String }', {
    Item: {
      __resolveReference: ({ id }: { id: keyof typeof rows }) => rows[id],
      note: ({ id }: { id: string }, { of }: { of?: string }) => (id === 'b' ? fails('No note') : `${of ?? ''}${id}`),
    },
  }),
  subgraph('post', `type Item @key(fields: "id") { id: ID! weight: Int @external postage: Int @requires(fields: "weight") }`, {
    Item: { postage: ({ weight }: { weight: number }) => weight * 10 },
  }),
]);

const run = async (query: string, variables: Record<string, unknown> = {}) => {
  const seen: SourceRequest[] = [];
  const answer = await ask(gatewayOf(federation, {}, seen), query, variables);
  return {
    answer,
    requests: seen.map(({ text, variables }) => ({
      of: /weight|note|postage/.exec(text)?.[0],
      ids: (variables.representations as { id: string }[] | undefined)?.map(({ id }) => id),
    })),
  };
};

test('entities at several paths are fetched by one request, each once', async () => {
  const { answer, requests } = await run('{ shelf { first { weight } items { weight } box { items { id weight } } } }');
  expect(answer).toEqual({
    data: {
      shelf: {
        first: { weight: 3 },
        items: [{ weight: 3 }, { weight: 5 }, null],
        box: {
          items: [
            { id: 'b', weight: 5 },
            { id: 'c', weight: 7 },
          ],
        },
      },
    },
  });
  expect(requests).toEqual([
    { of: undefined, ids: undefined },
    { of: 'weight', ids: ['a', 'b', 'c'] },
  ]);
});

test('a sequence of fetches at several paths is one sequence of requests', async () => {
  const { answer, requests } = await run('{ shelf { first { postage } box { items { postage } } } }');
  expect(answer).toEqual({ data: { shelf: { first: { postage: 30 }, box: { items: [{ postage: 50 }, { postage: 70 }] } } } });
  expect(requests.slice(1)).toEqual([
    { of: 'weight', ids: ['a', 'b', 'c'] },
    { of: 'postage', ids: ['a', 'b', 'c'] },
  ]);
});

test('an error of an entity is reported at all its paths', async () => {
  const { answer } = await run('{ shelf { items { note } box { items { note } } } }');
  expect(answer.data).toEqual({
    shelf: { items: [{ note: 'a' }, { note: null }, null], box: { items: [{ note: null }, { note: 'c' }] } },
  });
  expect(answer.errors?.map(({ path }) => path)).toEqual([
    ['shelf', 'items', 1, 'note'],
    ['shelf', 'box', 'items', 0, 'note'],
  ]);
});

test('fetches with different fields, arguments or conditions stay separate', async () => {
  const fields = await run('{ shelf { first { weight } items { note } } }');
  expect(fields.requests).toHaveLength(3);
  const args = await run('{ shelf { first { note(of: "x") } box { items { note(of: "y") } } } }');
  expect(args.answer.data).toEqual({ shelf: { first: { note: 'xa' }, box: { items: [{ note: null }, { note: 'yc' }] } } });
  const conditional = '($no: Boolean!) { shelf { first { weight @skip(if: $no) } items { weight } } }';
  for (const no of [true, false]) {
    const { answer } = await run(`query ${conditional}`, { no });
    expect(answer.data).toEqual({ shelf: { first: no ? {} : { weight: 3 }, items: [{ weight: 3 }, { weight: 5 }, null] } });
  }
});

test('an unavailable subgraph is reported at each path', async () => {
  const sources = {
    stock: { execute: () => Promise.reject(new Error('down')), subscribe: () => Promise.reject(new Error('down')) },
  };
  const answer = await ask(gatewayOf(federation, { sources }), '{ shelf { first { weight } box { items { weight } } } }');
  expect(answer.errors).toMatchObject([
    { path: ['shelf', 'first'], extensions: { code: 'UNAVAILABLE' } },
    { path: ['shelf', 'box', 'items'], extensions: { code: 'UNAVAILABLE' } },
  ]);
});

test('nested objects of an entity at two paths have the values of their own path', async () => {
  const boxes = federate([
    subgraph('shop', 'type Query { a: Item b: Item none: Item } type Item @key(fields: "id") { id: ID! }', {
      Query: { a: () => ({ id: '1' }), b: () => ({ id: '1' }), none: () => null },
    }),
    subgraph(
      'sizes',
      'type Item @key(fields: "id") { id: ID! box: Box @shareable } type Box { height: Int list: [Side] } type Side { id: Int }',
      {
        Item: { box: () => ({ height: 7, list: [{ id: 1 }] }) },
      },
    ),
    subgraph('weights', 'type Item @key(fields: "id") { id: ID! box: Box @shareable } type Box { weight(of: Int): Int }', {
      // Arrives after the other subgraph, so that it is merged into its object.
      Item: { box: () => new Promise((resolve) => setTimeout(() => resolve({}), 30)) },
      Box: { weight: (_: unknown, { of }: { of: number }) => of },
    }),
  ]);
  const query = '{ a { box { height weight(of: 1) } } b { box { height weight(of: 2) } } none { box { height } } }';
  expect(await ask(gatewayOf(boxes), query)).toEqual({
    data: { a: { box: { height: 7, weight: 1 } }, b: { box: { height: 7, weight: 2 } }, none: null },
  });
  const sources = {
    sizes: { execute: () => Promise.reject(new Error('down')), subscribe: () => Promise.reject(new Error('down')) },
  };
  const failed = await ask(gatewayOf(boxes, { sources }), '{ a { box { height } } none { box { height } } }');
  expect(failed.errors?.map(({ path }) => path)).toEqual([['a']]);
});

test('all paths of an entity share its scalars, whatever their value', async () => {
  const made = federate([
    subgraph('shop', 'type Query { a: Item b: Item } type Item @key(fields: "id") { id: ID! }', {
      Query: { a: () => ({ id: '1' }), b: () => ({ id: '1' }) },
    }),
    subgraph(
      'labels',
      'scalar Any type Item @key(fields: "id") { id: ID! label: Label } type Label { value: Any list: [Label] }',
      {},
    ),
  ]);
  const value = { toJSON: () => 'made by toJSON', call: () => 1 };
  const labels = {
    execute: () => Promise.resolve({ data: { _entities: [{ label: { value, list: [{ value: null }, null] } }] } }),
    subscribe: () => Promise.reject(new Error('down')),
  };
  const answer = await ask(
    gatewayOf(made, { sources: { labels } }),
    '{ a { label { value list { value } } } b { label { value list { value } } } }',
  );
  const label = { value: 'made by toJSON', list: [{ value: null }, null] };
  expect(JSON.parse(JSON.stringify(answer))).toEqual({ data: { a: { label }, b: { label } } });
});

test('the work for the errors of many entities does not grow with their square', async () => {
  const ids = Array.from({ length: 300 }, (_, at) => String(at));
  let reads = 0;
  const counted = (items: object[]) =>
    new Proxy(items, {
      get: (target, key, receiver) => {
        reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
  const many = federate([
    subgraph('shop', 'type Query { a: [Item] b: [Item] } type Item @key(fields: "id") { id: ID! }', {}),
    subgraph('stock', 'type Item @key(fields: "id") { id: ID! weight: Int }', { Item: { weight: () => fails('No weight') } }),
  ]);
  const items = () => counted(ids.map((id) => ({ __typename: 'Item', id })));
  const shop = {
    execute: () => Promise.resolve({ data: { a: items(), b: items() } }),
    subscribe: () => Promise.reject(new Error('down')),
  };
  const answer = await ask(gatewayOf(many, { sources: { shop } }), '{ a { weight } b { weight } }');
  expect(answer.errors).toHaveLength(600);
  expect(answer.errors?.slice(-2).map(({ path }) => path)).toEqual([
    ['a', 299, 'weight'],
    ['b', 299, 'weight'],
  ]);
  expect(reads / 600).toBeLessThan(20);
});

describe('a large answer', () => {
  const items = (count: number) => Array.from({ length: count }, (_, at) => ({ id: String(at) }));
  const large = federate([
    subgraph(
      'shop',
      'type Query { items(count: Int!): [Item] same(count: Int!): [Item] } type Item @key(fields: "id") { id: ID! }',
      {
        Query: {
          items: (_: unknown, { count }: { count: number }) => items(count),
          same: (_: unknown, { count }: { count: number }) => items(count).map(() => ({ id: '0' })),
        },
      },
    ),
    subgraph('stock', 'type Item @key(fields: "id") { id: ID! weight: Int parts: [Part] broken: Int } type Part { name: String }', {
      Item: {
        weight: () => 1,
        parts: () => [{ name: 'x' }],
        broken: () => fails('Broken'),
      },
    }),
  ]);
  const measure = async (query: string) => {
    const seen: SourceRequest[] = [];
    const answer = await ask(gatewayOf(large, {}, seen), query);
    const sizes = seen.flatMap(({ variables }) => (variables.representations as object[] | undefined)?.length ?? []);
    return { answer, sizes };
  };

  test('shares the nested objects of an entity between its paths', async () => {
    const paths = Array.from({ length: 20 }, (_, at) => `p${at}: items(count: 2) { parts { name } }`);
    const { answer, sizes } = await measure(`{ ${paths.join(' ')} }`);
    expect(sizes).toEqual([2]);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toMatchObject({ p19: [{ parts: [{ name: 'x' }] }, { parts: [{ name: 'x' }] }] });
  });

  test('is fetched by several requests if one request for all paths would be too large', async () => {
    const { answer, sizes } = await measure(
      '{ a: items(count: 900) { weight } b: items(count: 1001) { weight } none: items(count: 0) { weight } }',
    );
    expect(sizes).toEqual([1000, 1]);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toMatchObject({ a: { length: 900 }, b: { length: 1001, 1000: { weight: 1 } } });
  });

  test('has at most 1,000 errors, and one more that says that others are left out', async () => {
    const { answer } = await measure('{ a: same(count: 3000) { broken } b: same(count: 3000) { broken } }');
    expect(answer.errors).toHaveLength(1_001);
    expect(answer.errors?.at(-1)).toMatchObject({ message: 'Further errors are omitted', extensions: { code: 'LIMIT_REACHED' } });
    expect(answer.data).toMatchObject({ b: { 2999: { broken: null } } });
  });
});
