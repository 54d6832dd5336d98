import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { subgraphsOf } from 'compiled-gateway';
import { type Proposal, publishSchema } from 'compiled-gateway/publication';
import { addPublished, listPublished, openRegistry, readPublished, recordUsage, registryIn } from 'compiled-gateway/registry';
import pg from 'pg';
import { stack } from '../serve/served.ts';
import { link } from '../support/federation.ts';
import { createRegistry, startCommand } from './registry.ts';

const of = (name: string, typeDefs: string, url?: string) => ({ name, sdl: link + typeDefs, url });
const shop = of('shop', 'type Query { product: Product  stock: Int } type Product @key(fields: "id") { id: ID! name: String }');
const part = (name: string, field = name) =>
  of(name, `type Product @key(fields: "id") { id: ID! ${field}: Int }`, `http://${name}.example/`);

const { address, registry } = await createRegistry();
beforeEach(() => registry.query('truncate registry.publications, registry.requests, registry.operations, registry.schemas'));
const publish = (proposal: Proposal, more: object = {}) => publishSchema(registry, proposal, { author: 'Ada', days: 30, ...more });
const versions = async () => (await listPublished(registry, { limit: 100, offset: 0 })).nodes;

test('publications at the same time lose no subgraph', async () => {
  await publish({ subgraphs: [shop] });
  const others = await Promise.all(Array.from({ length: 4 }, () => openRegistry(address)));
  for (const each of others) stack.defer(() => each.close());
  const names = Array.from({ length: 8 }, (_, at) => `part${at}`);
  const published = await Promise.all(
    names.map((name, at) => publishSchema(others[at % 4]!, { subgraphs: [part(name)] }, { author: name, days: 30 })),
  );
  expect(published.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  const all = await versions();
  expect(all.map(({ version }) => version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(all[0]!.subgraphs).toEqual([
    ...names.map((name) => ({ name, url: `http://${name}.example/` })),
    { name: 'shop', url: '' },
  ]);
  const current = await readPublished(registry, 9);
  expect(subgraphsOf(current!.supergraph).map(({ name }) => name)).toEqual([...names, 'shop']);
}, 120_000);

test('a publisher that is killed at any moment leaves a whole version or none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'publication-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'shop.graphql');
  await publish({ subgraphs: [shop] });
  for (const delay of [300, 1_500, 3_000, 6_000]) {
    await writeFile(file, shop.sdl.replace('stock', `stock${delay}`));
    const child = startCommand([
      'publish',
      '--database',
      address,
      '--subgraph',
      `shop=${file}`,
      '--author',
      'killed',
      '--accept-breaking',
    ]);
    const exited = once(child, 'exit');
    await Promise.race([wait(delay), exited]);
    child.kill('SIGKILL');
    await exited;
    for (const { version } of await versions()) {
      const { supergraph, subgraphs, api } = (await readPublished(registry, version))!;
      const [, field] = /(stock\d*): Int/.exec(api.Query!)!;
      expect([supergraph, subgraphs[0]!.sdl].every((text) => text.includes(`${field}: Int`))).toBe(true);
    }
  }
  expect(await publish({ subgraphs: [part('later')] })).toMatchObject({ outcome: 'published' });
}, 120_000);

test('a version that breaks recorded operations is refused, also at the way back, unless it is accepted', async () => {
  await publish({ subgraphs: [shop] });
  const text = 'query Stock { stock }';
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  await recordUsage(registry, {
    writer: crypto.randomUUID(),
    sequence: 1,
    operations: [{ hash: 'h', name: 'Stock', kind: 'query', label: '', text, coordinates: ['Query.stock'], filled: [] }],
    rows: [{ hour, operation: 'h', client: { name: 'app', version: '' }, requests: 2, errors: 0, durations: [2], sent: {} }],
  });
  const without = { subgraphs: [{ ...shop, sdl: shop.sdl.replace('stock: Int', '') }] };
  expect(await publish(without)).toMatchObject({ outcome: 'refused', version: 1, check: { verdict: 'breaks' } });
  expect(await versions()).toHaveLength(1);
  expect(await publish(without, { acceptBreaking: true })).toMatchObject({ outcome: 'published', version: 2 });
  expect(await publish(without)).toMatchObject({ outcome: 'unchanged', version: 2 });
  expect(await publish({ restored: 1 })).toMatchObject({ outcome: 'published', version: 3 });
  expect(await publish({ restored: 2 })).toMatchObject({ outcome: 'refused' });
  expect(await versions()).toMatchObject([
    { version: 3, restored: 1, author: 'Ada', verdict: 'safe' },
    { version: 2, restored: null, verdict: 'breaks', report: expect.stringContaining('`Stock`: 2 requests of `app`') },
    { version: 1 },
  ]);
});

test('a subgraph keeps its address, can be left out, and must be named after a supergraph without SDL of subgraphs', async () => {
  await publish({ subgraphs: [shop, part('size')] });
  await publish({ subgraphs: [{ ...part('size', 'width'), url: undefined }] });
  const [second] = await versions();
  expect(second).toMatchObject({ subgraphs: [{ name: 'shop' }, { name: 'size', url: 'http://size.example/' }] });
  const { supergraph } = (await readPublished(registry, 2))!;
  await publish({ subgraphs: [], removed: ['size'] });
  expect((await versions())[0]!.subgraphs).toEqual([{ name: 'shop', url: '' }]);
  await publish({ supergraph });
  await expect(publish({ subgraphs: [part('size')] })).rejects.toThrow('Version 4 was published as a supergraph');
  expect(await publish({ subgraphs: [shop], removed: ['size'] })).toMatchObject({ version: 5 });
  await expect(publish({ subgraphs: [], removed: ['nothing'] })).rejects.toThrow('no published subgraph nothing');
  await expect(publish({ restored: 77 })).rejects.toThrow('There is no version 77');
});

const deep = (open: string, close: string) => open.repeat(50_000) + close.repeat(50_000);
test.each<[string, Proposal, RegExp]>([
  [
    'subgraphs that do not compose',
    { subgraphs: [shop, of('other', 'type Product { id: Int }')] },
    /do not compose:\n {2}.*Product/,
  ],
  ['text', { subgraphs: [of('shop', '}')] }, /The subgraph shop is not GraphQL: Syntax Error/],
  ['a subgraph as supergraph', { supergraph: 'type Query { a: Int }' }, /The supergraph is not a composed supergraph/],
  ['a type that nests deeply', { subgraphs: [of('shop', `type Query { a: ${deep('[', ']')} }`)] }, /not GraphQL|nests too deeply/],
  ['a value that nests deeply', { supergraph: `type Query { a(b: Int = ${deep('[', ']')}): Int }` }, /nests too deeply/],
  ['20 MB', { supergraph: `type Query { ${'a'.repeat(20_000_000)}: Int }` }, /more than 16 MiB/],
  ['a null character', { subgraphs: [of('shop', 'type Query { a: Int } #\0')] }, /null character/],
  ['an escaped null character', { subgraphs: [of('shop', 'type Query { "a\\u0000" a: Int }')] }, /null character/],
  ['a name that is none', { subgraphs: [{ ...shop, name: '../x"; drop table' }] }, /name of a subgraph/],
  [
    'an address with a password',
    { subgraphs: [{ ...shop, url: 'http://u:hunter2@host/' }] },
    /^The address of shop must have no credentials$/,
  ],
  ['an address that is none', { subgraphs: [{ ...shop, url: 'file:///etc/passwd' }] }, /must begin with http/],
  ['a subgraph twice', { subgraphs: [shop, shop] }, /named twice/],
])('%s is refused with the reason, and nothing is published', async (_, proposal, reason) => {
  await expect(publish(proposal)).rejects.toThrow(reason);
  expect(await versions()).toEqual([]);
});

test('an author is printable, short text, whatever it says', async () => {
  await expect(publish({ subgraphs: [shop] }, { author: ' \u202e\0\n ' })).rejects.toThrow(
    'The author must have printable characters',
  );
  const author = `'); drop table publications; --\u0000\u001b[31m${'x'.repeat(500)}😀`;
  await publish({ subgraphs: [shop] }, { author });
  const stored = (await versions())[0]!.author;
  expect(stored).toMatch(/^'\); drop table publications; -- \[31mx+$/);
  expect(stored).toHaveLength(100);
});

test.each([
  ['postgres://u:hunter2@127.0.0.1:1/db?schema=a"; drop schema public; --', /names a schema/],
  ['postgres://u:hunter2@127.0.0.1:1/db?schema=pg_catalog', /names a schema/],
  ['postgres://u:hunter2@127.0.0.1:1/db?schema=public', /names a schema/],
  ['postgres://u:hunter2#@host/db', /must be an address/],
  ['mysql://u:hunter2@host/db', /must be an address/],
  ['postgres://u:hunter2%zz@127.0.0.1:1/db', /./],
  ['postgres://u:hunter2@127.0.0.1:1/db', /ECONNREFUSED/],
])('the address %s is refused without repeating its password', async (given, reason) => {
  const error: Error & { code?: string } = await openRegistry(given)
    .then((opened) => opened.createTables().finally(() => opened.close()))
    .then(
      () => new Error('opened'),
      (failure) => failure,
    );
  expect(`${error.message} ${error.code}`).toMatch(reason);
  expect(error.message).not.toBe('opened');
  expect(JSON.stringify([error.message, error.stack, error])).not.toContain('hunter2');
});

test('after a version that somebody wrote into the table, an earlier one comes back', async () => {
  await publish({ subgraphs: [shop] });
  const current = { ...(await readPublished(registry, 1))!, author: 'Eve', verdict: 'safe', report: '', restored: null } as const;
  await addPublished(registry, { ...current, version: 2, supergraph: 'x' });
  await expect(publish({ subgraphs: [part('size')] })).rejects.toThrow(
    'The current version 2 is no supergraph; bring an earlier one back by restore',
  );
  expect(await publish({ restored: 1 })).toMatchObject({ outcome: 'published', version: 3 });
  expect(await publish({ subgraphs: [part('size')] })).toMatchObject({ outcome: 'published', version: 4, unaddressed: ['shop'] });
  await expect(publish({ subgraphs: [part('width')] }, { expected: 3 })).rejects.toThrow('The current version is 4, not 3');
});

test('processes that start together create the tables once, also in a schema that exists', async () => {
  const pool = new pg.Pool({ connectionString: address, max: 8 });
  // The database is dropped while the connections close.
  pool.on('error', () => {});
  stack.defer(() => pool.end());
  await pool.query('create schema prepared');
  await Promise.all(Array.from({ length: 8 }, (_, at) => registryIn(pool, at % 2 === 0 ? 'prepared' : 'fresh').createTables()));
  const { rows } = await pool.query(`select count(*)::int as tables from pg_tables where schemaname in ('prepared', 'fresh')`);
  expect(rows).toEqual([{ tables: 10 }]);
});
