import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { hasTool } from '../support/tools.ts';

const testWithGo = hasTool('the example of the gateway', 'Go', ['go', 'version']) ? test : test.skip;
const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const example = join(root, 'gateway/example');

const children: ChildProcess[] = [];
let folder: string;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-example-'));
  // The Go server generates code in its folder.
  const inventory = join(folder, 'inventory');
  await cp(join(example, 'inventory'), inventory, { recursive: true });
  const build = async () => {
    await run('go', ['generate'], { cwd: inventory });
    await run('go', ['build', '-o', 'inventory', '.'], { cwd: inventory });
    return start(join(inventory, 'inventory'), []);
  };
  const supergraph = join(folder, 'supergraph.graphql');
  const [products, reviews, stock] = await Promise.all([
    start(process.execPath, [join(example, 'products.mjs')]),
    start(process.execPath, [join(example, 'reviews.mjs')]),
    build(),
    run(process.execPath, [join(example, 'compose.mjs'), supergraph]),
  ]);
  // The example with other ports.
  const settings = parse(await readFile(join(example, 'gateway.yaml'), 'utf8'));
  const config = join(folder, 'gateway.json');
  const subgraphs = { products: { url: products }, reviews: { url: reviews }, inventory: { url: stock } };
  await writeFile(config, JSON.stringify({ ...settings, subgraphs }));
  const command = ['--import', join(root, 'start/typescript.mjs'), join(root, 'gateway/cli/cli.ts')];
  url = await start(process.execPath, [...command, 'serve', '--config', config, '--port', '0']);
}, 600_000);
afterAll(async () => {
  for (const child of children) {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
});

/** Start a server on a free port. Returns the URL that it prints. */
async function start(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  for await (const line of createInterface(child.stdout)) if (URL.canParse(line)) return line;
  throw new Error(`${command} ended before it was ready`);
}

async function ask(query: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

testWithGo('a query combines Apollo Server, GraphQL Yoga and gqlgen', async () => {
  const { data, errors } = await ask('{ warehouse products { name stock reviews { stars text } } }');
  expect(data).toEqual({
    warehouse: 'Rotterdam',
    products: [
      { name: 'Desk lamp', stock: 7, reviews: [{ stars: 5, text: 'Bright.' }] },
      { name: 'Corner sofa', stock: null, reviews: [] },
    ],
  });
  expect(errors).toEqual([
    { message: 'SOFA-2 is not in the warehouse', path: ['products', 1, 'stock'], extensions: { code: 'UNKNOWN_SKU' } },
  ]);
});

testWithGo('errors of each server keep their message and code, and headers are forwarded', async () => {
  const mine = '{ myProducts { name } }';
  expect((await ask(mine)).errors).toEqual([
    { message: 'log in first', path: ['myProducts'], extensions: { code: 'UNAUTHENTICATED' } },
  ]);
  expect(await ask(mine, { authorization: 'Bearer ada' })).toEqual({ data: { myProducts: [{ name: 'Desk lamp' }] } });
  const refused = await ask('mutation { addReview(sku: "SOFA-2", stars: 6) { sku } }');
  expect(refused.errors).toEqual([{ message: 'stars must be 1 to 5', path: ['addReview'], extensions: { code: 'BAD_STARS' } }]);
});

testWithGo('a mutation continues in the other servers', async () => {
  const { data } = await ask('mutation { addReview(sku: "SOFA-2", stars: 4) { name reviews { stars } } }');
  expect(data).toEqual({ addReview: { name: 'Corner sofa', reviews: [{ stars: 4 }] } });
});

testWithGo('a subscription of the Go server selects fields of the others', async () => {
  const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket });
  const events = client.iterate({ query: 'subscription { stockChanged(sku: "LAMP-1") { name stock } }' });
  const received = [];
  for await (const { data } of events) received.push(data?.stockChanged);
  await client.dispose();
  expect(received).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((stock) => ({ name: 'Desk lamp', stock })));
});
