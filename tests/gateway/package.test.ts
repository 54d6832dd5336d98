import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createDatabase, EMPTY } from '../support/database.ts';
import { hasRegistry, npm, root } from '../support/npm.ts';
import { serveByApollo } from './support/apollo-subgraph.ts';
import { subgraph } from './support/federation.ts';
import { serveBy } from './support/http-subgraphs.ts';
import { supergraphOf } from './support/running-federation.ts';

const run = promisify(execFile);
const products = subgraph(
  'products',
  'type Query { products: [Product!]! } type Product @key(fields: "id") { id: ID! name: String }',
  {
    Query: { products: () => [{ id: '1', name: 'Lamp' }] },
  },
);
const reviews = subgraph('reviews', 'type Product @key(fields: "id") { id: ID! rating: Int }', {
  Product: { __resolveReference: (product: object) => product, rating: () => 5 },
});
const stock = subgraph('stock', 'type Product @key(fields: "id") { id: ID! stock: Int }', {
  Product: { __resolveReference: (product: object) => product, stock: () => 7 },
});
const query = '{ products { name rating stock } }';
const closing: (() => Promise<unknown>)[] = [];
let folder: string;
/** The files in the package. */
let paths: string[];

const withRegistry = hasRegistry() ? describe : describe.skip;

withRegistry('the packed gateway in an empty project', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compiled-gateway-'));
    const served = [
      { each: products, server: await serveByApollo(products) },
      { each: reviews, server: await serveBy('yoga', reviews) },
      { each: stock, server: await serveBy('graphql-http', stock) },
    ];
    closing.push(...served.map(({ server }) => server.stop));
    const supergraph = supergraphOf(served.map(({ each, server }) => ({ ...each, url: server.url })));

    const args = ['pack', '-w', 'gateway', '--pack-destination', folder, '--json', '--silent'];
    const [{ filename, files }] = JSON.parse(await npm(root, ...args)) as [{ filename: string; files: { path: string }[] }];
    paths = files.map(({ path }) => path);
    await writeFile(join(folder, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }');
    await writeFile(join(folder, 'supergraph.graphql'), supergraph);
    const peers = ['graphql@16.15.0', '@apollo/server@5.5.1', 'pg@8.23.0'];
    await npm(folder, 'install', `./${filename}`, ...peers, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error');
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (program: string) => {
    await writeFile(join(folder, 'main.js'), program);
    const { stdout } = await run(process.execPath, ['main.js', query], { cwd: folder });
    return JSON.parse(stdout);
  };
  const expected = { products: [{ name: 'Lamp', rating: 5, stock: 7 }] };

  test('answers a query over subgraphs of three libraries behind Apollo Server', async () => {
    const result = await ask(`
      import { readFileSync } from 'node:fs';
      import { ApolloServer } from '@apollo/server';
      import { CompiledGateway } from 'compiled-gateway/apollo';
      const supergraphSdl = readFileSync('supergraph.graphql', 'utf8');
      const server = new ApolloServer({ gateway: new CompiledGateway({ supergraphSdl }) });
      const { body } = await server.executeOperation({ query: process.argv[2] });
      await server.stop();
      console.log(JSON.stringify(body.singleResult));
    `);
    expect(result.data).toEqual(expected);
    expect(result.errors).toBeUndefined();
  });

  test('answers the query by itself', async () => {
    const result = await ask(`
      import { readFileSync } from 'node:fs';
      import { createGateway, httpSource, subgraphsOf } from 'compiled-gateway';
      import { parse } from 'graphql';
      const supergraph = readFileSync('supergraph.graphql', 'utf8');
      const sources = Object.fromEntries(subgraphsOf(supergraph).map(({ name, url }) => [name, httpSource({ url })]));
      const gateway = createGateway({ supergraph, sources });
      const { data } = await gateway.operation(parse(process.argv[2])).execute({}, { headers: {} });
      await gateway.close();
      console.log(data);
    `);
    expect(result).toEqual(expected);
  });

  test('serves the supergraph by its command', async () => {
    const command = join(folder, 'node_modules', '.bin', 'compiled-gateway');
    const child = spawn(command, ['serve', '--supergraph', 'supergraph.graphql', '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
      const body = JSON.stringify({ query });
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect(await response.json()).toEqual({ data: expected });
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  test('publishes in PostgreSQL by its command, and needs pg only then', async () => {
    const command = join(folder, 'node_modules', '.bin', 'compiled-gateway');
    const { url, drop } = await createDatabase({ template: EMPTY });
    try {
      const args = ['publish', '--supergraph', 'supergraph.graphql', '--author', 'Ada'];
      const env = { ...process.env, DATABASE_URL: url };
      expect(await run(command, args, { cwd: folder, env })).toMatchObject({ stderr: 'Published version 1.\n' });
      const { stdout } = await run(command, ['history'], { cwd: folder, env });
      expect(stdout).toMatch(/^1 {2}\S+ {2}safe {2}Ada\n$/);
      await rm(join(folder, 'node_modules', 'pg'), { recursive: true });
      await expect(run(command, ['history'], { cwd: folder, env })).rejects.toThrow('needs the package pg: npm install pg');
    } finally {
      await drop();
    }
  }, 120_000);

  test('has types that a strict project can use', async () => {
    await writeFile(
      join(folder, 'main.ts'),
      `import { type Answer, createGateway, type Source } from 'compiled-gateway';
       import { CompiledGateway } from 'compiled-gateway/apollo';
       import { type Published, publishSchema } from 'compiled-gateway/publication';
       import { openRegistry } from 'compiled-gateway/registry';
       import { type Plugin, serve } from 'compiled-gateway/serve';
       const published: Promise<Published> = openRegistry('a').then((registry) =>
         publishSchema(registry, { restored: 1 }, { author: 'Ada', days: 30 }));
       void published;
       const plugin: Plugin = { name: 'own', onRequest: ({ headers }) => void headers.host };
       void serve({ supergraph: { source: 'a' } }, [plugin]);
       declare const source: Source;
       const answers: Promise<Answer>[] = [];
       answers.push(createGateway({ supergraph: '', sources: { source } }).operation({} as never).execute({}, { headers: {} }));
       new CompiledGateway({ supergraphSdl: '' });
       // @ts-expect-error The supergraph is a text.
       createGateway({ supergraph: 1, sources: {} });`,
    );
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', '--typeRoots', 'none'];
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    await expect(run(tsc, [...flags, '--skipLibCheck', 'main.ts'], { cwd: folder })).resolves.toMatchObject({ stdout: '' });
  });

  test('holds no sources and nothing of the product', () => {
    expect(
      paths.filter((path) => !/^(dist\/.*(\.d\.ts|\.js|\.js\.map)|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(path)),
    ).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'LICENSE', 'CHANGELOG.md']));
  });
});
