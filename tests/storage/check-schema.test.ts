import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordSchema, recordUsage, registryIn } from 'compiled-gateway/registry';
import { type Database, openDatabase } from '../../platform/database/database.ts';
import { tables } from '../../start/subgraphs.ts';
import { createDatabase } from '../support/database.ts';

const created = await createDatabase();
const database: Database = await openDatabase(created.url, tables, { connections: 2 });
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-graph-check-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await database.close();
  await created.drop();
});

/** Run the command as its npm script does. */
const check = (...args: string[]) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const env = { ...process.env, DATABASE_URL: created.url, NODE_OPTIONS: '' };
    execFile(process.execPath, ['start/bootstrap.mjs', 'start/check-schema.ts', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });

const served = 'type Query { product(id: ID!): Product } type Product { id: ID! name: String old: String }';

test('the command judges a change by recorded operations, with a report and an exit code', async () => {
  const file = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const unused = await file('unused.graphql', served.replace('old: String', ''));
  const used = await file('used.graphql', served.replace('name: String', ''));
  expect(await check('--supergraph', unused)).toMatchObject({ code: 1, output: expect.stringContaining('--against') });

  await recordSchema(registryIn(database.pool), { hash: 'a', text: served, parts: [] });
  expect(await check('--supergraph', unused)).toMatchObject({ code: 2, output: expect.stringContaining('### Unknown (1)') });
  const operation = {
    hash: 'h',
    name: 'Show',
    kind: 'query',
    label: '',
    text: 'query Show($id: ID!) { product(id: $id) { name } }',
    coordinates: ['ID', 'Product.name', 'Query.product'],
    filled: ['Query.product(id:)'],
  } as const;
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const counts = { requests: 4, errors: 0, durations: [4], sent: { 'Query.product(id:)': 4 } };
  const rows = [{ hour, operation: 'h', client: { name: 'shop', version: '1' }, ...counts }];
  await recordUsage(registryIn(database.pool), { writer: randomUUID(), sequence: 1, operations: [operation], rows });

  expect(await check('--supergraph', unused)).toMatchObject({
    code: 0,
    output: expect.stringContaining('- Product.old is removed'),
  });
  const report = join(folder, 'report.json');
  expect(await check('--supergraph', used, '--format', 'json', '--output', report)).toMatchObject({ code: 1 });
  expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({
    verdict: 'breaks',
    changes: [{ coordinate: 'Product.name', verdict: 'breaks', operations: [{ name: 'Show', requests: 4, clients: ['shop'] }] }],
    invalid: [{ errors: ['Cannot query field "name" on type "Product".'] }],
  });
}, 120_000);

test("the proposed schema may be composed of the product's subgraphs and others", async () => {
  const reviews = join(folder, 'reviews.graphql');
  await writeFile(
    reviews,
    'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"]) type Product @key(fields: "id") { id: ID! ratingOfShop: Int }',
  );
  const args = ['--against', 'schema/supergraph.graphql', '--subgraph', `reviews=${reviews}`];
  expect(await check(...args)).toMatchObject({ code: 0, output: expect.stringContaining('No breaking changes.') });
}, 120_000);
