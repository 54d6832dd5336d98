import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'graphql';
import { caller } from '../support/client.ts';
import { type Running, startProcess } from '../support/processes.ts';
import { seedOrganization } from '../support/seed.ts';
import { startGateway } from '../support/system.ts';
import { clientOf } from './http/websocket-client.ts';
import { compose, federate, type Subgraph } from './support/federation.ts';
import { serve } from './support/serve.ts';
import { shop } from './support/shop.ts';

const { schemas } = federate(shop);
type Served = Awaited<ReturnType<typeof serve>>;
const servers: Record<string, Served> = {};
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supergraph-'));
  for (const [name, schema] of Object.entries(schemas)) servers[name] = await serve(schema, { admits: () => true });
});
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close()));
  await rm(folder, { recursive: true });
});

async function supergraphFile(name: string, sdl: string): Promise<string> {
  const file = join(folder, `${name}.graphql`);
  await writeFile(file, sdl);
  return file;
}

describe('a supergraph of external subgraphs', () => {
  let gateway: Running;
  let url: string;
  beforeAll(async () => {
    // The supergraph has a wrong URL for `stock`, which the configuration overrides.
    const at = ({ name }: Subgraph) => (name === 'stock' ? 'http://127.0.0.1:1/graphql' : servers[name]!.url);
    const { supergraph } = federate(shop.map((subgraph) => ({ ...subgraph, url: at(subgraph) })));
    gateway = await startProcess('start/gateway.ts', [], {
      PORT: '0',
      SUPERGRAPH: await supergraphFile('shop', supergraph),
      SUBGRAPH_URLS: `stock=${servers.stock!.url}`,
      FORWARD_HEADERS: 'authorization, X-Tenant',
      INTROSPECTION: 'true',
    });
    url = gateway.addresses.url!;
  });
  afterAll(() => gateway.stop());

  const ask = async (query: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    return response.json();
  };

  test('is served without a database, with its own URLs', async () => {
    expect(await ask('{ book(id: "b1") { name rating shipping } }')).toEqual({
      data: { book: { name: 'Graphs', rating: 4.5, shipping: 20 } },
    });
    expect(gateway.addresses).toEqual({ url });
  });

  test('subgraphs get the headers that are configured and no others', async () => {
    servers.reviews!.seen.length = 0;
    await ask('{ topReviews { id } }', { authorization: 'Bearer 1', 'x-tenant': 't', 'x-api-key': 'secret', 'x-other': 'o' });
    const [{ headers }] = servers.reviews!.seen as [{ headers: object }];
    expect(headers).toMatchObject({ authorization: 'Bearer 1', 'x-tenant': 't' });
    for (const name of ['x-api-key', 'x-other', 'x-client-address', 'origin', 'x-subgraph-secret']) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  test('can be introspected', async () => {
    expect(await ask('{ __type(name: "Book") { kind } }')).toEqual({ data: { __type: { kind: 'OBJECT' } } });
  });

  test('subscriptions run over WebSocket, with the headers of the connection', async () => {
    servers.reviews!.seen.length = 0;
    const client = clientOf({ url }, { 'X-Tenant': 't', 'x-api-key': 'secret' });
    const events = [];
    for await (const event of client.iterate({
      query: 'subscription { reviewed(id: "r1") { id item { ... on Book { name } } } }',
    })) {
      events.push(event);
    }
    await client.dispose();
    expect(events).toEqual([{ data: { reviewed: { id: 'r1', item: { name: 'Graphs' } } } }]);
    expect(servers.reviews!.seen[0]!.connectionParams).toEqual({ 'x-tenant': 't' });
  });

  test('has neither the REST API nor the site-content API', async () => {
    expect((await fetch(`${url}/products/get`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test('is ready when each of its subgraphs answers', async () => {
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

test('a subgraph without a URL is reported on start', async () => {
  const SUPERGRAPH = await supergraphFile('nowhere', federate(shop).supergraph);
  const SUBGRAPH_URLS = `catalog=${servers.catalog!.url},reviews=${servers.reviews!.url},stok=http://127.0.0.1:1`;
  await expect(startProcess('start/gateway.ts', [], { PORT: '0', SUPERGRAPH, SUBGRAPH_URLS })).rejects.toThrow(
    /SUBGRAPH_URLS names stok.*SUBGRAPH_URLS must name an address of stock/s,
  );
});

test('external subgraphs work together with those of the product', async () => {
  const notes: Subgraph = {
    name: 'notes',
    typeDefs: 'type Query { notes: [String!]! }',
    resolvers: { Query: { notes: () => ['one'] } } as never,
  };
  const server = await serve(federate([notes]).schemas.notes!);
  servers.notes = server;
  const own = ['catalog', 'agent', 'site-content'].map(async (name) => ({
    name,
    typeDefs: parse(await readFile(`schema/${name}.graphql`, 'utf8')),
  }));
  const supergraph = compose([...(await Promise.all(own)), { name: 'notes', url: server.url, typeDefs: parse(notes.typeDefs) }]);

  const gateway = await startGateway({ SUPERGRAPH: await supergraphFile('both', supergraph), FORWARD_HEADERS: 'x-tenant' });
  try {
    const { key } = await seedOrganization();
    expect(await caller(key, { url: gateway.url }).graphql('{ notes products { nodes { id } } }')).toMatchObject({
      notes: ['one'],
    });
    expect(server.seen.at(-1)!.headers).not.toHaveProperty('x-api-key');
  } finally {
    await gateway.stop();
  }
});
