import type { Answer, RequestContext } from 'compiled-gateway';
import type { GraphQLSchema } from 'graphql';
import { parse } from 'graphql';
import { httpSource } from '../../../gateway/sources/http-source.ts';
import { ask, drain, federate, gatewayOf, plain, read } from '../support/federation.ts';
import type { ServeOptions } from '../support/serve.ts';
import { serve as serveSubgraph } from '../support/serve.ts';
import { shop } from '../support/shop.ts';

const federation = federate(shop);
const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The subgraph in a separate server, or a server with responses from the test. */
async function serve(schema: GraphQLSchema, answer?: ServeOptions['answer']) {
  const server = await serveSubgraph(schema, { answer, secret: 's3cret' });
  closing.push(() => server.close());
  return server;
}

const source = (url: string, timeoutMs?: number) => {
  const made = httpSource({ url, secret: 's3cret', timeoutMs });
  closing.push(() => made.close!());
  return made;
};
const unavailable = [
  { message: 'The reviews service cannot be reached. Try again shortly.', path: ['book'], extensions: { code: 'UNAVAILABLE' } },
];
const question = '{ book(id: "b1") { id rating } }';

test('a subgraph over HTTP receives the caller headers and the secret', async () => {
  const { url, seen } = await serve(federation.schemas.reviews!);
  const gateway = gatewayOf(federation, { sources: { reviews: source(url) } });
  const context: RequestContext = { headers: { 'x-api-key': 'k', origin: undefined } };
  expect(read(await gateway.prepare(parse(question)).execute({}, context))).toEqual({ data: { book: { id: 'b1', rating: 4.5 } } });
  expect(seen[0]!.headers).toMatchObject({ 'x-api-key': 'k', 'x-subgraph-secret': 's3cret', 'content-type': 'application/json' });
  expect(seen[0]!.headers).not.toHaveProperty('origin');
});

test.each([
  ['an error page', { status: 502, body: '<html>Bad gateway 10.0.0.3</html>' }],
  ['a failure in JSON', { status: 503, body: '{"data":null,"errors":[{"message":"pg: 10.0.0.3"}]}' }],
  ['text', { status: 200, body: 'hello' }],
  ['other JSON', { status: 401, body: '{"message":"wrong secret"}' }],
  ['an answer too late', { status: 200, body: '{"data":{"_entities":[]}}', after: 2000 }],
])('%s makes the subgraph UNAVAILABLE', async (_, answer) => {
  const { url } = await serve(federation.schemas.reviews!, answer);
  const gateway = gatewayOf(federation, { sources: { reviews: source(url, 200) } });
  expect(await ask(gateway, question)).toEqual({ data: { book: { id: 'b1', rating: null } }, errors: unavailable });
});

test('a refused connection makes the subgraph UNAVAILABLE', async () => {
  const gateway = gatewayOf(federation, { sources: { reviews: source('http://127.0.0.1:1/graphql') } });
  expect(await ask(gateway, question)).toEqual({ data: { book: { id: 'b1', rating: null } }, errors: unavailable });
});

test('the errors of a refused request are passed on', async () => {
  const { url } = await serve(federation.schemas.reviews!, {
    status: 400,
    body: '{"errors":[{"message":"No","extensions":{"code":"FORBIDDEN"}}]}',
  });
  const gateway = gatewayOf(federation, { sources: { reviews: source(url) } });
  expect((await ask(gateway, question)).errors).toEqual([{ message: 'No', path: ['book'], extensions: { code: 'FORBIDDEN' } }]);
});

test('the signal of the caller cancels the request', async () => {
  // Later than a test may take.
  const { url } = await serve(federation.schemas.reviews!, { status: 200, body: '{}', after: 3_600_000 });
  const gateway = gatewayOf(federation, { sources: { reviews: source(url, 3_600_000) } });
  const result = await gateway.prepare(parse(question)).execute({}, { headers: {}, signal: AbortSignal.timeout(100) });
  expect(plain(result.errors)).toEqual(unavailable);
});

test('subscriptions share a connection and carry the headers of their callers', async () => {
  const { url, seen } = await serve(federation.schemas.reviews!);
  const gateway = gatewayOf(federation, { sources: { reviews: source(url) } });
  const operation = gateway.prepare(parse('subscription { reviewed(id: "r1") { id item { ... on Book { name } } } }'));
  for (const key of ['k1', 'k2']) {
    const events = (await operation.subscribe({}, { headers: { 'x-api-key': key } })) as AsyncIterable<Answer>;
    expect(await drain(events)).toEqual([{ data: { reviewed: { id: 'r1', item: { name: 'Graphs' } } } }]);
  }
  expect(seen).toEqual(['k1', 'k2'].map((key) => ({ headers: { 'x-api-key': key }, connectionParams: { secret: 's3cret' } })));
});
