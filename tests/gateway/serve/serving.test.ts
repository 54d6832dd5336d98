import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from 'compiled-gateway/serve';
import { GraphQLError } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { until } from '../../support/until.ts';
import { federate, subgraph } from '../support/federation.ts';
import { type ServedSubgraph, served, stack, subgraphsOf } from './served.ts';

const products = subgraph(
  'products',
  `type Query { products(first: Int, last: Float): [Product!]!  broken: String  secret: String @policy(policies: [["vip"]]) }
   type Mutation { add: String }
   type Subscription { ticks: Int }
   type Product @key(fields: "id") { id: ID! name: String }`,
  {
    Query: {
      products: () => [{ id: '1', name: 'Lamp' }],
      broken: () => {
        throw new GraphQLError('password=hunter2', { extensions: { code: 'DB_DOWN', query: 'SELECT 1' } });
      },
      secret: () => 's',
    },
    Mutation: { add: () => 'added' },
    Subscription: {
      ticks: {
        subscribe: async function* () {
          for (const ticks of [1, 2]) yield { ticks };
        },
      },
    },
  },
);
const reviews = subgraph('reviews', 'type Query { best: Int } type Product @key(fields: "id") { id: ID! rating: Int }', {
  Query: { best: () => 5 },
  Product: { __resolveReference: (product: object) => product, rating: () => 5 },
});

let folder: string;
let source: string;
let servers: Record<string, ServedSubgraph>;
let supergraph: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-'));
  stack.defer(() => rm(folder, { recursive: true }));
  ({ servers, supergraph } = await subgraphsOf([products, reviews]));
  source = join(folder, 'supergraph.graphql');
  await writeFile(source, supergraph);
});

const all = '{ products { name rating } }';
const answer = { data: { products: [{ name: 'Lamp', rating: 5 }] } };

test('a supergraph is served with its addresses, and tells its health and metrics', async () => {
  const { url, ask, metricsUrl } = await served({ supergraph: { source }, metrics: { port: 0 } });
  expect((await ask(all)).body).toEqual(answer);
  expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  expect((await fetch(new URL('/readyz', url))).status).toBe(200);
  const text = await (await fetch(metricsUrl!)).text();
  expect(text).toContain('graph_operation_seconds_count{kind="query",operation="graphql",outcome="ok"} 1');
  expect(text).toContain('graph_fetch_seconds_count{subgraph="products",outcome="ok"} 1');
});

test('a new supergraph is served without a restart, and one that does not build is refused', async () => {
  const file = join(folder, 'changing.graphql');
  await writeFile(file, supergraph);
  const { ask } = await served({ supergraph: { source: file } });
  await writeFile(file, 'type Query { nothing: Int }');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect((await ask(all)).body).toEqual(answer);
  const { supergraph: smaller } = federate([{ ...reviews, url: servers.reviews!.url }]);
  await writeFile(file, smaller);
  await until(async () => (await ask('{ best }')).body.data?.best === 5 && (await ask(all)).body.errors !== undefined, 10_000);
});

test('errors of subgraphs are masked, or shown by their codes', async () => {
  const masked = await (await served({ supergraph: { source } })).ask('{ broken }');
  expect(masked.body).toMatchObject({
    data: { broken: null },
    errors: [{ message: 'Internal Server Error', path: ['broken'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
  });
  expect(JSON.stringify(masked.body)).not.toMatch(/hunter2|SELECT/);
  const other = await served({ supergraph: { source }, defaults: { exposeErrors: ['NOT_FOUND'] } });
  expect(JSON.stringify((await other.ask('{ broken }')).body)).not.toContain('hunter2');
  const shown = await served({ supergraph: { source }, subgraphs: { products: { exposeErrors: ['DB_DOWN'] } } });
  expect((await shown.ask('{ broken }')).body.errors).toEqual([
    { message: 'password=hunter2', path: ['broken'], extensions: { code: 'DB_DOWN', query: 'SELECT 1' } },
  ]);
});

describe('a request', () => {
  let front: Awaited<ReturnType<typeof served>>;
  beforeAll(async () => {
    front = await served({ supergraph: { source }, limits: { cost: 50, depth: 3 } });
  });

  test.each<[string, unknown, number, string | undefined]>([
    ['is no JSON', '{', 400, 'BAD_REQUEST'],
    ['is a batch', [{ query: all }], 400, 'BAD_REQUEST'],
    ['has no query', {}, 200, 'BAD_REQUEST'],
    ['has a query that is a number', { query: 1 }, 400, 'BAD_REQUEST'],
    ['has variables that are a list', { query: all, variables: [] }, 400, 'BAD_REQUEST'],
    ['does not parse', { query: '{' }, 200, 'GRAPHQL_PARSE_FAILED'],
    ['does not validate', { query: '{ nothing }' }, 200, 'GRAPHQL_VALIDATION_FAILED'],
    ['costs too much', { query: '{ products(first: 100) { name } }' }, 200, 'INVALID_INPUT'],
    ['costs too much by its second size', { query: '{ products(last: 1e2) { name } }' }, 200, 'INVALID_INPUT'],
    ['costs too much by one of two sizes', { query: '{ products(first: 1, last: 100) { name } }' }, 200, 'INVALID_INPUT'],
    ['is introspection', { query: '{ __type(name: "Product") { name } }' }, 200, 'GRAPHQL_VALIDATION_FAILED'],
    ['is a subscription', { query: 'subscription { ticks }' }, 200, 'BAD_REQUEST'],
    ['names no operation', { query: 'query A { best } query B { best }' }, 200, 'OPERATION_RESOLUTION_FAILURE'],
    ['changes a prototype', '{"query": "{ best }", "variables": {"__proto__": {"a": 1}}}', 400, 'BAD_REQUEST'],
  ])('that %s is refused', async (_, body, status, code) => {
    const answered = await front.send(body);
    expect(answered).toMatchObject({ status, body: { errors: [{ extensions: { code } }] } });
    expect(answered.body.data).toBeUndefined();
  });

  test('too large is refused', async () => {
    expect((await front.send({ query: all, variables: { a: 'x'.repeat(2_000_000) } })).status).toBe(413);
  });

  test('gets the status of GraphQL over HTTP by its media type', async () => {
    const { status, headers } = await front.ask('{ nothing }', { accept: 'application/graphql-response+json' });
    expect(status).toBe(400);
    expect(headers.get('content-type')).toContain('application/graphql-response+json');
    expect((await front.ask(all, { accept: 'text/html' })).status).toBe(406);
  });

  test('by GET needs a header that no other site can send, and cannot change data', async () => {
    const get = (query: string, headers: Record<string, string>) =>
      fetch(`${front.url}?query=${encodeURIComponent(query)}`, { headers });
    expect((await get(all, {})).status).toBe(400);
    expect(await (await get(all, { 'apollo-require-preflight': '1' })).json()).toEqual(answer);
    expect((await get('mutation { add }', { 'apollo-require-preflight': '1' })).status).toBe(405);
    const form = await fetch(front.url, {
      method: 'POST',
      body: JSON.stringify({ query: 'mutation { add }' }),
      headers: { 'content-type': 'text/plain' },
    });
    expect(form.status).toBe(400);
  });

  test('by another method is refused with the methods that are allowed', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(front.url, {
        method,
        headers: { 'content-type': 'application/json' },
        body: '{"query":"{ best }"}',
      });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
      expect(await response.json()).toMatchObject({ errors: [{ message: 'Operations are sent by GET or POST' }] });
    }
  });

  test('for an operation with @defer can have its response in parts', async () => {
    const response = await fetch(front.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'multipart/mixed;deferSpec=20220824' },
      body: JSON.stringify({ query: '{ products { name ... @defer { rating } } }' }),
    });
    expect(await response.text()).toContain('"incremental":[{"data":{"rating":5},"path":["products",0]}]');
  });
});

test('subscriptions and queries run over WebSocket', async () => {
  const { url } = await served({ supergraph: { source } });
  const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket });
  const collect = async (query: string) => {
    const events = [];
    for await (const event of client.iterate({ query })) events.push(event);
    return events;
  };
  expect(await collect('subscription { ticks }')).toEqual([{ data: { ticks: 1 } }, { data: { ticks: 2 } }]);
  expect(await collect(all)).toEqual([answer]);
  await expect(collect('{ nothing }')).rejects.toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  await client.dispose();
});

test('a page of another origin cannot open a WebSocket', async () => {
  const { url } = await served({ supergraph: { source }, server: { corsOrigins: ['https://shop.example'] } });
  const open = (origin: string) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { origin });
      socket.on('open', () => {
        socket.close();
        resolve('open');
      });
      socket.on('error', ({ message }) => resolve(message));
    });
  expect(await open('https://evil.example')).toContain('403');
  expect(await open('https://shop.example')).toBe('open');
  const preflight = (origin: string) =>
    fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
  expect((await preflight('https://shop.example')).headers.get('access-control-allow-origin')).toBe('https://shop.example');
  expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).not.toBe('https://evil.example');
});

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const persisted = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });

test('automatic persisted queries: the hash of a document that was sent once is enough', async () => {
  const { send } = await served({ supergraph: { source } });
  expect((await send(persisted(hashOf(all)))).body.errors).toMatchObject([
    { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
  ]);
  expect((await send({ query: '{ best }', ...persisted(hashOf(all)) })).body.errors).toMatchObject([
    { extensions: { code: 'BAD_REQUEST' } },
  ]);
  expect((await send({ query: all, ...persisted(hashOf(all)) })).body).toEqual(answer);
  expect((await send(persisted(hashOf(all)))).body).toEqual(answer);
  // A wrong hash stores nothing, and so does an invalid document.
  await send({ query: '{ nothing }', ...persisted(hashOf('{ nothing }')) });
  expect((await send(persisted(hashOf('{ nothing }')))).body.errors).toMatchObject([
    { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
  ]);
});

test('a safelist runs only trusted documents', async () => {
  const file = join(folder, 'manifest.json');
  const operations = [{ id: 'all', name: 'All', type: 'query', body: all }];
  await writeFile(file, JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }));
  const { send, ask } = await served({ supergraph: { source }, documents: { manifests: [file], safelist: true } });
  expect((await ask(all)).body).toEqual(answer);
  expect((await send({ documentId: 'all' })).body).toEqual(answer);
  expect((await send(persisted(hashOf(all)))).body).toEqual(answer);
  expect((await ask('{ best }')).body.errors).toMatchObject([{ extensions: { code: 'QUERY_NOT_IN_SAFELIST' } }]);
  expect((await send({ query: '{ best }', ...persisted(hashOf('{ best }')) })).body.errors).toMatchObject([
    { extensions: { code: 'QUERY_NOT_IN_SAFELIST' } },
  ]);
});

test('requests of one client are limited, and its flood does not stop another', async () => {
  const { ask, url } = await served({ supergraph: { source }, rateLimit: { requests: 5, header: 'x-client' } });
  const flood = await Promise.all(Array.from({ length: 200 }, () => ask('{ best }', { 'x-client': 'a' })));
  expect(flood.filter(({ status }) => status === 200)).toHaveLength(5);
  const refused = flood.find(({ status }) => status !== 200)!;
  expect(refused).toMatchObject({ status: 429, body: { errors: [{ extensions: { code: 'RATE_LIMITED' } }] } });
  expect(refused.headers.get('retry-after')).not.toBeNull();
  expect((await ask('{ best }', { 'x-client': 'b' })).status).toBe(200);
  expect((await fetch(new URL('/healthz', url))).status).toBe(200);
});

test('plugins see the request, the plan, each fetch and the response, and decide policies', async () => {
  const seen: string[] = [];
  const plugin: Plugin = {
    name: 'witness',
    onRequest({ headers, subgraphHeaders }) {
      if (headers['x-blocked']) throw new GraphQLError('You are blocked', { extensions: { code: 'FORBIDDEN' } });
      subgraphHeaders['x-from-plugin'] = 'yes';
    },
    onPlan: ({ kind }) => void seen.push(`plan ${kind}`),
    async onFetch({ subgraph: name }, next) {
      seen.push(`fetch ${name}`);
      return next();
    },
    onResponse: (response) => ({ ...response, extensions: { seen: true } }),
    policies: (names, { headers }) => (headers['x-vip'] ? names : []),
  };
  const { ask } = await served({ supergraph: { source } }, [plugin]);
  servers.products!.seen.length = 0;
  expect((await ask(all)).body).toEqual({ ...answer, extensions: { seen: true } });
  await ask(all);
  expect(seen).toEqual(['plan query', 'fetch products', 'fetch reviews', 'fetch products', 'fetch reviews']);
  expect(servers.products!.seen[0]!.headers).toHaveProperty('x-from-plugin', 'yes');
  expect(await ask(all, { 'x-blocked': '1' })).toMatchObject({ status: 403, body: { errors: [{ message: 'You are blocked' }] } });
  expect((await ask('{ secret }')).body).toMatchObject({ data: { secret: null }, errors: [{ path: ['secret'] }] });
  expect((await ask('{ secret }', { 'x-vip': '1' })).body.data).toEqual({ secret: 's' });
});

test('a fault of a plugin is masked', async () => {
  // The second is as an HTTP client throws it.
  for (const fault of [new TypeError('token=abc'), Object.assign(new Error('token=abc'), { statusCode: 404 })]) {
    const broken: Plugin = {
      name: 'broken',
      onRequest() {
        throw fault;
      },
    };
    const { ask } = await served({ supergraph: { source } }, [broken]);
    const { status, body } = await ask(all);
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('abc');
  }
});

test('a response is limited', async () => {
  const { ask } = await served({ supergraph: { source }, server: { responseBytes: 1_024 } });
  expect((await ask(all)).body).toEqual(answer);
  const aliases = Array.from({ length: 90 }, (_, at) => `a${at}: name`).join(' ');
  expect((await ask(`{ products { ${aliases} } }`)).body.errors).toBeDefined();
});

test('a plugin is loaded from a file, with its options', async () => {
  const file = join(folder, 'plugin.mjs');
  await writeFile(
    file,
    'export default ({ word }) => ({ name: "said", onResponse: (response) => ({ ...response, extensions: { word } }) });',
  );
  const { ask } = await served({ supergraph: { source }, plugins: [{ module: file, options: { word: 'hello' } }] });
  expect((await ask('{ best }')).body).toEqual({ data: { best: 5 }, extensions: { word: 'hello' } });
  await expect(served({ supergraph: { source }, plugins: [join(folder, 'none.mjs')] })).rejects.toThrow(
    'none.mjs cannot be loaded',
  );
  expect(await readFile(file, 'utf8')).toContain('said');
});
