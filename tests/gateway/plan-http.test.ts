import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GraphQLSchema } from 'graphql';
import { execute, parse } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { httpSource } from '../../gateway/source-http.ts';
import type { RequestContext } from '../../schema/request.ts';
import { anyone, ask, drain, federate, gatewayOf, plain } from './support/federation.ts';
import { shop } from './support/shop.ts';

const federation = federate(shop);
const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Seen {
  headers: Record<string, unknown>;
  connectionParams?: unknown;
}

/** The subgraph in a server of its own, or a server that answers what the test says. */
async function serve(schema: GraphQLSchema, answer?: { status: number; body: string; after?: number }) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    seen.push({ headers: request.headers });
    if (answer) {
      setTimeout(
        () => response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body),
        answer.after ?? 0,
      ).unref();
      return;
    }
    const { query, variables } = JSON.parse(text);
    response.end(JSON.stringify(await execute({ schema, document: parse(query), variableValues: variables })));
  });
  const sockets = new WebSocketServer({ server });
  useServer(
    {
      schema,
      onConnect: ({ connectionParams }) => connectionParams?.secret === 's3cret',
      onSubscribe: ({ connectionParams }, _id, { extensions }) =>
        void seen.push({ headers: extensions?.headers as never, connectionParams }),
    },
    sockets,
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drop = () => {
    for (const client of sockets.clients) client.terminate();
  };
  closing.push(() => {
    drop();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, seen, drop };
}

const source = (url: string, timeoutMs?: number) => {
  const made = httpSource({ url, secret: 's3cret', timeoutMs });
  closing.push(() => made.close!());
  return made;
};
const unavailable = [{ message: 'The reviews service cannot be reached. Try again shortly.', extensions: { code: 'UNAVAILABLE' } }];
const question = '{ book(id: "b1") { id rating } }';

test('a subgraph over HTTP gets the headers of the caller and the secret', async () => {
  const { url, seen } = await serve(federation.schemas.reviews!);
  const gateway = gatewayOf(federation, { sources: { reviews: source(url) } });
  const context: RequestContext = { headers: { 'x-api-key': 'k', origin: undefined } };
  expect(plain(await gateway.prepare(parse(question)).execute({}, context))).toEqual({ data: { book: { id: 'b1', rating: 4.5 } } });
  expect(seen[0]!.headers).toMatchObject({ 'x-api-key': 'k', 'x-subgraph-secret': 's3cret', 'content-type': 'application/json' });
  expect(seen[0]!.headers).not.toHaveProperty('origin');
});

test.each([
  ['an error page', { status: 502, body: '<html>Bad gateway 10.0.0.3</html>' }],
  ['a failure in JSON', { status: 503, body: '{"data":null,"errors":[{"message":"pg: 10.0.0.3"}]}' }],
  ['text', { status: 200, body: 'hello' }],
  ['other JSON', { status: 401, body: '{"message":"wrong secret"}' }],
  ['an answer too late', { status: 200, body: '{"data":{"_entities":[]}}', after: 2000 }],
])('%s is an unavailable subgraph', async (_, answer) => {
  const { url } = await serve(federation.schemas.reviews!, answer);
  const gateway = gatewayOf(federation, { sources: { reviews: source(url, 200) } });
  expect(await ask(gateway, question)).toEqual({ data: { book: { id: 'b1', rating: null } }, errors: unavailable });
});

test('a refused connection is an unavailable subgraph', async () => {
  const gateway = gatewayOf(federation, { sources: { reviews: source('http://127.0.0.1:1/graphql') } });
  expect(await ask(gateway, question)).toEqual({ data: { book: { id: 'b1', rating: null } }, errors: unavailable });
});

test('the errors of a refused request are passed on', async () => {
  const { url } = await serve(federation.schemas.reviews!, {
    status: 400,
    body: '{"errors":[{"message":"No","extensions":{"code":"FORBIDDEN"}}]}',
  });
  const gateway = gatewayOf(federation, { sources: { reviews: source(url) } });
  expect((await ask(gateway, question)).errors).toEqual([{ message: 'No', extensions: { code: 'FORBIDDEN' } }]);
});

test('the signal of the caller cancels the request', async () => {
  const { url } = await serve(federation.schemas.reviews!, { status: 200, body: '{}', after: 5000 });
  const gateway = gatewayOf(federation, { sources: { reviews: source(url) } });
  const started = Date.now();
  const result = await gateway.prepare(parse(question)).execute({}, { headers: {}, signal: AbortSignal.timeout(100) });
  expect(Date.now() - started).toBeLessThan(2000);
  expect(plain(result.errors)).toEqual(unavailable);
});

test('subscriptions share a connection and carry the headers of their callers', async () => {
  const { url, seen } = await serve(federation.schemas.reviews!);
  const gateway = gatewayOf(federation, { sources: { reviews: source(url) } });
  const operation = gateway.prepare(parse('subscription { reviewed(id: "r1") { id item { ... on Book { name } } } }'));
  for (const key of ['k1', 'k2']) {
    const events = (await operation.subscribe({}, { headers: { 'x-api-key': key } })) as AsyncIterable<unknown>;
    expect(await drain(events)).toEqual([{ data: { reviewed: { id: 'r1', item: { name: 'Graphs' } } } }]);
  }
  expect(seen).toEqual(['k1', 'k2'].map((key) => ({ headers: { 'x-api-key': key }, connectionParams: { secret: 's3cret' } })));
});

test('a lost connection ends the subscriptions with the news, and the next one connects again', async () => {
  const ticking = federate([
    {
      name: 'clock',
      typeDefs: 'type Query { a: Int } type Subscription { ticks: Int }',
      resolvers: {
        Subscription: {
          ticks: {
            async *subscribe() {
              yield { ticks: 1 };
              await new Promise(() => {});
            },
          },
        },
      } as never,
    },
  ]);
  const { url, drop } = await serve(ticking.schemas.clock!);
  const operation = gatewayOf(ticking, { sources: { clock: source(url) } }).prepare(parse('subscription { ticks }'));
  for (let round = 0; round < 2; round++) {
    const events = ((await operation.subscribe({}, anyone)) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    expect(plain(await events.next())).toEqual({ done: false, value: { data: { ticks: 1 } } });
    drop();
    expect(plain(await events.next())).toMatchObject({
      done: false,
      value: { data: null, errors: [{ extensions: { code: 'UNAVAILABLE' } }] },
    });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  }
});
