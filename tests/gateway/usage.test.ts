import { clientOf, flushUsage, type RequestContext, type UsageBatch, UsageCollector } from 'compiled-gateway';
import { parse, validate } from 'graphql';
import { federate, gatewayOf, subgraph } from './support/federation.ts';

const shop = subgraph(
  'shop',
  `type Query {
     product(id: ID!): Product
     products(filter: Filter, sort: Sort = NAME, limit: Int, options: Any): [Thing!]!
   }
   type Mutation { rename(id: ID!, change: Change!): Product }
   type Subscription { tick(of: Sort): Int }
   scalar Any
   enum Sort { NAME PRICE STOCK }
   input Filter { brand: String, sort: Sort, any: [Filter!], extra: Any }
   input Change { name: String!, note: String }
   interface Thing { id: ID! name: String }
   type Product implements Thing { id: ID! name: String price: Float }
   type Bundle implements Thing { id: ID! name: String size: Int }`,
  {
    Query: {
      product: (_: unknown, { id }: { id: string }) => {
        if (id === 'broken') throw new Error('broken');
        return { id, name: 'Lamp' };
      },
      products: () => [{ __typename: 'Product', id: '1', name: 'Lamp' }],
    },
    Mutation: { rename: () => ({ id: '1' }) },
    Subscription: {
      tick: {
        async *subscribe() {
          for (let tick = 1; tick <= 3; tick++) yield { tick };
        },
      },
    },
  },
);
const federation = federate([shop]);

function open(options: ConstructorParameters<typeof UsageCollector>[0] = {}) {
  const usage = new UsageCollector(options);
  const gateway = gatewayOf(federation, { usage });
  const run = (text: string, variables: object = {}, context: Partial<RequestContext> = {}) =>
    gateway.operation(parse(text)).execute(variables as Record<string, unknown>, { headers: {}, ...context });
  const taken = () => {
    const batch = usage.take();
    if (batch) usage.stored(batch);
    return batch ?? { writer: '', sequence: 0, operations: [], rows: [] };
  };
  return { usage, gateway, run, taken };
}

const total = ({ rows }: UsageBatch) => rows.reduce((sum, { requests }) => sum + requests, 0);

test('an operation is counted by its text and client, with the fields, arguments and enum values that it uses', async () => {
  const { run, taken } = open();
  const shown = clientOf('shop-app', '1.2');
  const text = 'query Show($id: ID!) { product(id: $id) { id ... on Product { price } } products(sort: PRICE) { name } }';
  for (let at = 0; at < 3; at++) await run(text, { id: `secret-${at}` }, { client: shown });
  await run(text, { id: 'x' });
  const batch = taken();
  expect(batch.operations).toEqual([
    expect.objectContaining({
      name: 'Show',
      kind: 'query',
      label: '',
      coordinates: [
        'Bundle.name',
        'ID',
        'Product',
        'Product.id',
        'Product.name',
        'Product.price',
        'Query.product',
        'Query.products',
        'Query.products(sort:)',
        'Sort.PRICE',
        'Thing.name',
      ],
      filled: ['Query.product(id:)'],
    }),
  ]);
  expect(batch.rows.map(({ client, requests, errors, sent }) => ({ client: client.name, requests, errors, sent }))).toEqual([
    { client: 'shop-app', requests: 3, errors: 0, sent: { 'Query.product(id:)': 3 } },
    { client: '', requests: 1, errors: 0, sent: { 'Query.product(id:)': 1 } },
  ]);
  expect(JSON.stringify(batch)).not.toContain('secret');
});

test('input fields and enum values in variables count in the requests that send them, each once', async () => {
  const { run, taken } = open();
  const text = 'query ($filter: Filter, $sort: Sort) { products(filter: $filter, sort: $sort) { id } }';
  const many = { any: [{ brand: 'a' }, { brand: 'b', sort: 'STOCK' }, { brand: 'c', extra: { Secret: 'value' } }] };
  await run(text, { filter: many });
  await run(text, { sort: 'NAME' });
  await run(text, { filter: { brand: null } });
  // Fails, because no value has this name. Nothing else of it counts as sent.
  await run(text, { filter: { brand: 'a', sort: 'COLOR' } });
  const batch = taken();
  expect(batch.rows[0]).toMatchObject({ requests: 4, errors: 1 });
  expect(batch.rows[0]!.sent).toEqual({
    Filter: 2,
    'Filter.any': 1,
    'Filter.brand': 2,
    'Filter.extra': 1,
    'Filter.sort': 1,
    'Query.products(filter:)': 3,
    'Query.products(sort:)': 1,
    'Sort.NAME': 1,
    'Sort.STOCK': 1,
  });
  expect(JSON.stringify(batch)).not.toMatch(/Secret|value/);
});

test('operations that differ only in literals and aliases are one, whose text is valid and has no values', async () => {
  const { gateway, run, taken } = open();
  for (const id of ['a', 'b']) {
    await run(`# secret-comment
      { mine_${id}: products(filter: { brand: "secret-${id}", extra: { secretKey: 7 }, any: [{ brand: "1" }, { brand: "2" }] }, limit: 42, options: SECRET) { id } }`);
  }
  const { operations, rows } = taken();
  expect(rows).toHaveLength(1);
  expect(rows[0]!.requests).toBe(2);
  const [{ text }] = operations as [(typeof operations)[0]];
  expect(text).not.toMatch(/secret|mine|42/i);
  expect(validate(gateway.schema, parse(text))).toEqual([]);
  expect(operations[0]!.coordinates).toContain('Filter.any');
});

test('counts are exact under concurrency, with errors and durations', async () => {
  const { run, taken } = open();
  const text = 'query Find($id: ID!) { product(id: $id) { name } }';
  const clients = ['a', 'b', 'c'].map((name) => clientOf(name)!);
  await Promise.all(
    Array.from({ length: 900 }, (_, at) => run(text, { id: at % 10 === 0 ? 'broken' : `${at}` }, { client: clients[at % 3] })),
  );
  const batch = taken();
  expect(batch.rows.map(({ client, requests, errors }) => [client.name, requests, errors])).toEqual([
    ['a', 300, 30],
    ['b', 300, 30],
    ['c', 300, 30],
  ]);
  for (const { durations, requests } of batch.rows) expect(durations.reduce((sum, each) => sum + each)).toBe(requests);
});

test('a subscription counts once, when it opens', async () => {
  const { gateway, taken } = open();
  const operation = gateway.operation(parse('subscription Ticks($of: Sort) { tick(of: $of) }'));
  const events = await operation.subscribe({ of: 'NAME' }, { headers: {} });
  const seen = await Array.fromAsync(events as AsyncIterable<unknown>);
  expect(seen).toHaveLength(3);
  const { operations, rows } = taken();
  expect(operations[0]).toMatchObject({ kind: 'subscription', name: 'Ticks' });
  expect(rows[0]).toMatchObject({ requests: 1, errors: 0, sent: { 'Sort.NAME': 1, 'Subscription.tick(of:)': 1 } });
});

test('beyond the limits, requests count without their operation and client, but with all parts of the schema that they use', async () => {
  const { gateway, run, taken } = open({ limits: { operations: 40, clients: 40, pairs: 100 } });
  const known = gateway.prepare(parse('{ products { id } }'), { label: 'GET /products' });
  for (let at = 0; at < 200; at++) await run(`query Flood${at} { product(id: "1") { price } }`, {}, { owner: 'flooder' });
  for (let at = 0; at < 200; at++) await run('{ products { id } }', {}, { owner: 'flooder', client: clientOf(`client ${at}`) });
  await run('query Other { products { name } }', {}, { owner: 'other', client: clientOf('app') });
  await known.execute({}, { headers: {}, owner: '' });
  const batch = taken();
  expect(total(batch)).toBe(402);
  // Of all names that a tenant invents, a twentieth of the places is kept.
  expect(batch.rows.filter(({ client }) => client.name.startsWith('client')).length).toBeLessThanOrEqual(2);
  expect(batch.rows.length).toBeLessThanOrEqual(8);
  expect(batch.operations.map(({ name, label }) => name || label)).toEqual(['Flood0', 'Flood1', 'Other', 'GET /products']);
  const rest = batch.rows.find(({ operation }) => operation === '*')!;
  expect(rest).toMatchObject({ client: { name: '*' }, requests: 398 });
  expect(rest.sent).toMatchObject({ 'Product.price': 198, 'Query.product': 198, 'Query.product(id:)': 198, 'Query.products': 200 });
});

test('a batch is sent again unchanged until it is stored, and counts go on meanwhile', async () => {
  let hour = 0;
  const { usage, run } = open({ now: () => hour * 3_600_000 });
  await run('{ products { id } }');
  const first = usage.take()!;
  hour = 1;
  await run('{ products { id } }');
  expect(usage.take()).toBe(first);
  await run('{ products { id } }');
  usage.stored(first);
  const second = usage.take()!;
  expect(second.sequence).toBe(first.sequence + 1);
  expect(second.rows.map((row) => [row.hour, row.requests])).toEqual([
    [0, 1],
    [3_600_000, 1],
  ]);
  usage.stored(second);
  expect(usage.take()).toBeUndefined();
});

test('stopping stores the batch that failed before, and the last counts', async () => {
  const { usage, run } = open();
  const stored: UsageBatch[] = [];
  const failures: unknown[] = [];
  let isDown = true;
  const stop = flushUsage(usage, {
    interval: 20,
    async store(batch) {
      if (isDown) throw new Error('down');
      stored.push(batch);
      return [];
    },
    onFailure: (error) => failures.push(error),
  });
  await run('{ products { id } }');
  while (failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await run('{ products { id } }');
  isDown = false;
  await stop();
  expect(stored.reduce((sum, batch) => sum + total(batch), 0)).toBe(2);
});

test.each([
  ['  shop\u0000app\n', 'shop app'],
  ['\ud800shop\udc00', 'shop'],
  ['x'.repeat(10_000), 'x'.repeat(64)],
  [`${'é'.repeat(63)}😀`, 'é'.repeat(63)],
  ['*', undefined],
  ['\u202e\u0007', undefined],
  [7, undefined],
])('the client name %j is %j', (given, name) => {
  expect(clientOf(given)?.name).toBe(name);
});
