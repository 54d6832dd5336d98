import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createDatabase, EMPTY } from '../../support/database.ts';
import { readUntil } from '../../support/until.ts';
import { stack, subgraphsOf } from '../serve/served.ts';
import { link, subgraph } from '../support/federation.ts';
import { runCommand, startCommand } from './registry.ts';

const products = subgraph(
  'products',
  'type Query { products: [Product!]! } type Product @key(fields: "id") { id: ID! name: String  old: String }',
  { Query: { products: () => [{ id: '1', name: 'Lamp' }] } },
);
const reviews = subgraph('reviews', 'type Product @key(fields: "id") { id: ID! rating: Int }', {
  Product: { __resolveReference: (product: object) => product, rating: () => 5 },
});

test('a team with a graph of its own publishes, serves, counts, checks and goes back, all by the command and PostgreSQL', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'other-team-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const file = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const { servers } = await subgraphsOf([products, reviews]);
  const { url, drop } = await createDatabase({ template: EMPTY });
  const address = `${url}?schema=other_team`;
  const secret = new URL(url).password;
  const said: string[] = [];
  const command = async (...args: string[]) => {
    const result = await runCommand(args, { DATABASE_URL: address });
    said.push(result.out, result.err);
    return result;
  };
  const sdl = async (name: string, typeDefs: string) => file(`${name}.graphql`, link + typeDefs);
  const of = async (name: string, typeDefs: string) => `${name}=${await sdl(name, typeDefs)}@${servers[name]!.url}`;

  expect(await command('serve')).toMatchObject({ code: 1, err: expect.stringContaining('supergraph.source is missing') });
  expect(await command('serve', '--database', address)).toMatchObject({
    code: 1,
    err: expect.stringContaining('has no published schema'),
  });
  const both = ['--subgraph', await of('products', products.typeDefs), '--subgraph', await of('reviews', reviews.typeDefs)];
  expect(await command('publish', ...both, '--author', 'Ada')).toMatchObject({ code: 0, err: 'Published version 1.\n' });

  const settings = { supergraph: { pollSeconds: 1 }, server: { port: 0 }, registry: { database: address } };
  const gateway = startCommand(['serve', '--config', await file('gateway.json', JSON.stringify(settings))]);
  gateway.stderr.on('data', (part) => said.push(String(part)));
  const [endpoint] = (await once(createInterface(gateway.stdout), 'line')) as [string];
  const ask = async (query: string) => {
    const headers = { 'content-type': 'application/json', 'apollographql-client-name': 'shop-app' };
    const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return response.json();
  };
  for (let at = 0; at < 3; at++) {
    expect(await ask('query List { products { name rating } }')).toEqual({ data: { products: [{ name: 'Lamp', rating: 5 }] } });
  }
  const counted = async () => JSON.parse((await command('usage', '--operations', '--json')).out);
  expect(await readUntil(counted, (operations) => operations.length > 0)).toMatchObject([
    { name: 'List', requests: 3, errors: 0, clients: [{ name: 'shop-app', requests: 3 }] },
  ]);
  expect((await command('usage')).out).toMatch(/^Product\.name {2}3 {2}1 clients[\s\S]*^Product\.old {2}0 {2}0 clients {2}unused/m);

  // One field is used and one is not.
  const withoutRating = ['--subgraph', await of('reviews', reviews.typeDefs.replace('rating', 'stars'))];
  const broken = await command('check-schema', ...withoutRating);
  expect(broken).toMatchObject({ code: 1, out: expect.stringContaining('`List`: 3 requests of `shop-app`') });
  expect(await command('publish', ...withoutRating, '--author', 'Ada')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nothing was published'),
  });
  const withoutOld = ['--subgraph', await of('products', products.typeDefs.replace('old: String', 'color: String'))];
  expect(await command('check-schema', ...withoutOld)).toMatchObject({ code: 0, out: expect.stringContaining('### Safe (1)') });
  expect(await command('publish', ...withoutOld, '--author', 'Grace')).toMatchObject({ code: 0, err: 'Published version 2.\n' });
  const color = () => ask('{ products { color } }');
  await readUntil(color, (answer) => answer.data !== undefined);
  // Counts are stored every ten seconds.
  await readUntil(counted, (operations) => operations.length === 2);

  expect((await command('diff', '1', '2')).out).toMatch(
    /breaking: Product\.old is removed\nProduct\.color is added[\s\S]*^- {2}old: String$/m,
  );
  expect(await command('restore', '1', '--author', 'Grace')).toMatchObject({
    code: 1,
    out: expect.stringContaining('Product.color'),
  });
  expect(await command('restore', '1', '--author', 'Grace', '--accept-breaking')).toMatchObject({ code: 0 });
  await readUntil(color, (answer) => answer.data === undefined);
  const history = (await command('history')).out.trim().split('\n');
  expect(history.map((line) => line.replace(/\d{4}-\S+/, 'then'))).toEqual([
    '3  then  breaks  Grace  (brings back 1)',
    '2  then  safe  Grace',
    '1  then  safe  Ada',
  ]);

  // The gateway serves on without its database, and ends.
  await drop();
  await readUntil(
    () => said.join(''),
    (text) => text.includes('"outcome":"unreadable"'),
  );
  expect(await ask('{ products { name } }')).toEqual({ data: { products: [{ name: 'Lamp' }] } });
  gateway.kill('SIGTERM');
  expect(await once(gateway, 'exit')).toEqual([0, null]);
  expect(said.join('')).not.toContain(secret);
}, 300_000);
