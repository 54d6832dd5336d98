import type { Source, SourceRequest } from 'compiled-gateway';
import { parse } from 'graphql';
import { httpSource } from '../../../gateway/sources/http-source.ts';
import { InFlight, invalidatingWrites } from '../../../gateway/sources/in-flight.ts';
import { ask, federate, gatewayOf } from '../support/federation.ts';
import { serve } from '../support/serve.ts';
import { shop } from '../support/shop.ts';

const { schemas } = federate(shop);
let server: Awaited<ReturnType<typeof serve>>;
let source: Source;
let other: Source;
beforeEach(async () => {
  // Slow enough that all requests of a test run concurrently.
  server = await serve(schemas.catalog!, { answer: { status: 200, body: '{"data":{"book":{"id":"b1"}}}', after: 300 } });
  const inFlight = new InFlight();
  const [url, elsewhere] = [server.url, `${server.url}?elsewhere`];
  const sources = { source: httpSource({ url, inFlight }), other: httpSource({ url: elsewhere, inFlight }) };
  ({ source, other } = invalidatingWrites(sources, inFlight) as typeof sources);
});
afterEach(async () => {
  await server.close();
  await Promise.all([source, other].map((each) => each.close?.()));
});

const request = (text: string, key = 'k', more: Partial<SourceRequest> & { signal?: AbortSignal } = {}): SourceRequest => ({
  document: parse(text),
  text,
  variables: {},
  context: { headers: { 'x-api-key': key }, signal: more.signal },
  ...more,
});
const query = '{ book(id: "b1") { id } }';
const answer = { data: { book: { id: 'b1' } } };

test('identical queries are sent once, and every caller gets a separate result', async () => {
  const [one, other] = await Promise.all([source.execute(request(query)), source.execute(request(query))]);
  expect([one, other]).toEqual([answer, answer]);
  expect(one.data!.book).not.toBe(other.data!.book);
  expect(server.seen).toHaveLength(1);
});

test('unique queries are never shared', async () => {
  await Promise.all([1, 2, 3].map(() => source.execute(request(query, 'k', { isUnique: true }))));
  expect(server.seen).toHaveLength(3);
});

test('a result is not cached', async () => {
  await source.execute(request(query));
  await source.execute(request(query));
  expect(server.seen).toHaveLength(2);
});

test('queries with other identities, variables or documents are separate', async () => {
  await Promise.all([
    source.execute(request(query)),
    source.execute(request(query, 'other')),
    source.execute(request(query, 'k', { variables: { a: 1 } })),
    source.execute(request('{ book(id: "b2") { id } }')),
  ]);
  expect(server.seen).toHaveLength(4);
});

test('mutations are never deduplicated', async () => {
  const mutation = 'mutation { rename(input: { id: "b1" }) { id } }';
  await Promise.all([source.execute(request(mutation)), source.execute(request(mutation))]);
  expect(server.seen).toHaveLength(2);
});

test('the same query to another subgraph is separate', async () => {
  await Promise.all([source.execute(request(query)), other.execute(request(query))]);
  expect(server.seen).toHaveLength(2);
});

test('a query after a mutation does not share an earlier request', async () => {
  const before = source.execute(request(query));
  const mutation = source.execute(request('mutation { rename(input: { id: "b1" }) { id } }'));
  await Promise.all([before, mutation, source.execute(request(query))]);
  expect(server.seen).toHaveLength(3);
});

test('a query after a mutation of another subgraph does not share an earlier request', async () => {
  const before = source.execute(request(query));
  const mutation = other.execute(request('mutation { rename(input: { id: "b1" }) { id } }'));
  await Promise.all([before, mutation, source.execute(request(query))]);
  expect(server.seen).toHaveLength(3);
});

test('a caller who disconnects does not cancel the shared request', async () => {
  const controller = new AbortController();
  const gone = source.execute(request(query, 'k', { signal: controller.signal }));
  const patient = source.execute(request(query, 'k', { signal: new AbortController().signal }));
  controller.abort();
  await expect(gone).rejects.toThrow('The subgraph cannot be reached');
  expect(await patient).toEqual(answer);
  expect(server.seen).toHaveLength(1);
});

test('a header value that imitates a second header does not join the request with both headers', async () => {
  const context = (headers: Record<string, string>) => ({ context: { headers } });
  const plain = source.execute(request(query, 'k', context({ 'x-a': 'a', 'x-b': 'b' })));
  await expect(source.execute(request(query, 'k', context({ 'x-a': 'a\nx-b\nb' })))).rejects.toThrow(
    'The subgraph cannot be reached',
  );
  expect(await plain).toEqual(answer);
});

test('a request that all callers have left is not shared', async () => {
  const controller = new AbortController();
  const gone = source.execute(request(query, 'k', { signal: controller.signal }));
  controller.abort();
  await expect(gone).rejects.toThrow('The subgraph cannot be reached');
  expect(await source.execute(request(query))).toEqual(answer);
});

test('deduplication can be disabled', async () => {
  const apart = httpSource({ url: server.url });
  await Promise.all([apart.execute(request(query)), apart.execute(request(query))]);
  await apart.close?.();
  expect(server.seen).toHaveLength(2);
});

test('duplicate fetches of one operation are sent once', async () => {
  const reviews = await serve(schemas.reviews!);
  const gateway = gatewayOf(federate(shop), { sources: { reviews: httpSource({ url: reviews.url, inFlight: new InFlight() }) } });
  try {
    await Promise.all([ask(gateway, '{ book(id: "b1") { rating } }'), ask(gateway, '{ book(id: "b1") { name rating } }')]);
    expect(reviews.seen).toHaveLength(1);
  } finally {
    await gateway.close();
    await reviews.close();
  }
});
