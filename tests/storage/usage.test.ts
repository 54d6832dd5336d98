import { randomUUID } from 'node:crypto';
import { REST, type UsageBatch, type UsageRow, type UsedOperation } from 'compiled-gateway';
import {
  deleteOldUsage,
  listFieldUsage,
  listOperationUsage,
  listSchemas,
  recordSchema,
  recordUsage,
  registryIn,
} from 'compiled-gateway/registry';
import pg from 'pg';
import { type Database, openDatabase } from '../../platform/database/database.ts';
import { tables } from '../../start/subgraphs.ts';
import { createDatabase } from '../support/database.ts';

const created = await createDatabase();
const database: Database = await openDatabase(created.url, tables, { connections: 8 });
const registry = registryIn(database.pool);
const check = new pg.Pool({ connectionString: created.url, max: 2 });
afterAll(async () => {
  await check.end();
  await database.close();
  await created.drop();
});
beforeEach(() =>
  check.query('truncate graph_registry.operations, graph_registry.requests, graph_registry.schemas, graph_registry.writers'),
);

const HOUR = 3_600_000;
const hour = Math.floor(Date.now() / HOUR) * HOUR;
const operationOf = (hash: string, coordinates: string[] = ['Query.product', 'Product.name']): UsedOperation => ({
  hash,
  name: `Name${hash}`,
  kind: 'query',
  label: '',
  text: `query Name${hash} { product { name } }`,
  coordinates,
  filled: ['Query.product(id:)'],
});
const rowOf = (operation: string, client: string, requests: number, more: Partial<UsageRow> = {}): UsageRow => ({
  hour,
  operation,
  client: { name: client, version: '' },
  requests,
  errors: 0,
  durations: Array.from({ length: 34 }, (_, at) => (at === 8 ? requests : 0)),
  sent: { 'Query.product(id:)': requests },
  ...more,
});
const batchOf = (operations: UsedOperation[], rows: UsageRow[], writer: string = randomUUID(), sequence = 1): UsageBatch => ({
  writer,
  sequence,
  operations,
  rows,
});
const page = { limit: 100, offset: 0 };
const fields = async () => (await listFieldUsage(registry, { days: 30, ...page })).nodes;
const operations = async (more: object = {}) => (await listOperationUsage(registry, { days: 30, ...page, ...more })).nodes;

test('a batch that is sent again counts once, and one of another process as well', async () => {
  const batch = batchOf([operationOf('a')], [rowOf('a', 'app', 3)]);
  for (let at = 0; at < 3; at++) await recordUsage(registry, batch);
  await recordUsage(registry, { ...batch, sequence: 2, operations: [] });
  await recordUsage(registry, { ...batch, writer: randomUUID() });
  expect(await operations()).toMatchObject([
    { hash: 'a', name: 'Namea', requests: 9, clients: [{ name: 'app', requests: 9 }], p50: 16 },
  ]);
});

test('no count is lost when many processes record at the same time', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const all = Array.from({ length: 40 }, (_, at) => {
    const shuffled = names.toSorted(() => Math.random() - 0.5);
    return batchOf(
      shuffled.map((name) => operationOf(name)),
      shuffled.flatMap((name) => [rowOf(name, 'app', 1, { errors: 1 }), rowOf(name, `app${at % 3}`, 2)]),
    );
  });
  await Promise.all(all.map((batch) => recordUsage(registry, batch)));
  const found = await operations();
  expect(found.map(({ hash, requests, errors }) => [hash, requests, errors])).toEqual(names.map((name) => [name, 120, 40]));
  expect(await fields()).toMatchObject([
    { coordinate: 'Product.name', requests: 600, clientCount: 4, clients: ['app', 'app0', 'app1', 'app2'] },
    { coordinate: 'Query.product', requests: 600 },
    { coordinate: 'Query.product(id:)', requests: 600 },
  ]);
});

test('when the table of operations is full, counts of new ones keep the parts of the schema that they use', async () => {
  const first = batchOf([operationOf('a'), operationOf('b')], [rowOf('a', 'app', 1), rowOf('b', 'app', 1)]);
  expect(await recordUsage(registry, first, 2)).toEqual([]);
  const more = batchOf(
    [operationOf('a'), operationOf('c', ['Query.stock']), operationOf('d')],
    [rowOf('a', 'app', 1), rowOf('c', 'app', 5), rowOf('d', 'other', 7), rowOf(REST, REST, 2, { sent: { 'Query.stock': 2 } })],
  );
  expect(await recordUsage(registry, more, 2)).toEqual(['c', 'd']);
  expect((await operations()).map(({ hash, requests }) => [hash, requests])).toEqual([
    [REST, 14],
    ['a', 2],
    ['b', 1],
  ]);
  expect(await fields()).toMatchObject([
    { coordinate: 'Product.name', requests: 10, clientCount: 2 },
    { coordinate: 'Query.product', requests: 10 },
    { coordinate: 'Query.product(id:)', requests: 15 },
    { coordinate: 'Query.stock', requests: 7, clients: [REST] },
  ]);
});

test('operations are found by name, client and the parts of the schema that they use', async () => {
  const sent = { 'Sort.PRICE': 1 };
  const rows = [rowOf('a', 'app', 5), rowOf('b', 'app', 2, { sent }), rowOf('b', 'shop', 1, { errors: 1, sent: {} })];
  await recordUsage(registry, batchOf([operationOf('a'), operationOf('b', ['Query.stock'])], rows));
  const found = async (filter: object) => (await operations(filter)).map(({ hash, requests }) => [hash, requests]);
  expect(await found({ search: 'NAMEB' })).toEqual([['b', 3]]);
  expect(await found({ client: 'shop' })).toEqual([['b', 1]]);
  expect(await found({ coordinate: 'Query.stock' })).toEqual([['b', 3]]);
  expect(await found({ coordinate: 'Sort.PRICE' })).toEqual([['b', 2]]);
  expect(await found({ coordinate: 'Query.gone' })).toEqual([]);
});

test('counts are deleted after 90 days, and their operations', async () => {
  const old = hour - 91 * 24 * HOUR;
  await recordUsage(
    registry,
    batchOf([operationOf('old'), operationOf('new')], [rowOf('old', 'app', 1, { hour: old }), rowOf('new', 'app', 1)]),
  );
  await check.query(`update graph_registry.operations set seen_at = now() - interval '91 days' where hash = 'old'`);
  await check.query(`update graph_registry.writers set at = now() - interval '3 days'`);
  expect(await deleteOldUsage(registry)).toBe(3);
  const { rows } = await check.query(
    'select (select array_agg(hash) from graph_registry.operations) as hashes, (select array_agg(operation) from graph_registry.requests) as counted',
  );
  expect(rows).toEqual([{ hashes: ['new'], counted: ['new'] }]);
});

test('unused parts of the current schema are listed with their descriptions', async () => {
  const parts = [
    { coordinate: 'Product.name', description: 'As shown.' },
    { coordinate: 'Product.old', description: '', deprecation: 'Use name.' },
  ];
  await recordSchema(registry, { hash: 'before', text: 'type Query', parts: [] });
  await recordSchema(registry, { hash: 'now', text: 'type Query { product: Product }', parts });
  await recordUsage(registry, batchOf([operationOf('a', ['Product.name', 'Query.gone'])], [rowOf('a', 'app', 1, { sent: {} })]));
  expect(await fields()).toMatchObject([
    { coordinate: 'Product.name', description: 'As shown.', deprecation: null, requests: 1, clients: ['app'] },
    { coordinate: 'Product.old', deprecation: 'Use name.', requests: 0, clientCount: 0, clients: [], lastUsedAt: null },
    { coordinate: 'Query.gone', description: '', requests: 1 },
  ]);
  const { nodes, total } = await listSchemas(registry, { limit: 1, offset: 0 });
  expect([nodes[0]?.hash, total]).toEqual(['now', 2]);
});

test('a page past the end has the total of its list', async () => {
  await recordUsage(registry, batchOf([operationOf('a'), operationOf('b')], [rowOf('a', 'app', 1), rowOf('b', 'app', 1)]));
  await recordSchema(registry, { hash: 'now', text: 'type Query', parts: [] });
  const past = { limit: 2, offset: 196 };
  const pages = [
    await listOperationUsage(registry, { days: 30, ...past }),
    await listFieldUsage(registry, { days: 30, ...past }),
    await listSchemas(registry, past),
    await listOperationUsage(registry, { days: 30, client: 'nobody', ...past }),
  ];
  expect(pages.map(({ nodes, total }) => [nodes.length, total])).toEqual([
    [0, 2],
    [0, 3],
    [0, 1],
    [0, 0],
  ]);
});
