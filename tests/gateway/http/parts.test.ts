import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { describe, expect, test } from '@jest/globals';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { until } from '../../support/until.ts';
import { endpoint } from './endpoint.ts';
import { raw } from './websocket-client.ts';

const QUERY = '{ hello ... @defer(label: "later") { slow(ms: 200) } me { id ... @defer { name friends { id } } } }';
const MERGED = { hello: 'hello world', slow: 'done', me: { id: '1', name: 'Ada', friends: [{ id: '1' }] } };
const OLD = 'multipart/mixed;deferSpec=20220824, application/json';
const DRAFT = 'multipart/mixed, application/graphql-response+json';

/** The JSON of each part of a multipart response. */
async function partsIn(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text();
  expect(text.startsWith('\r\n---\r\n')).toBe(true);
  expect(text.endsWith('\r\n-----\r\n')).toBe(true);
  return text
    .slice('\r\n---'.length, -'\r\n-----\r\n'.length)
    .split('\r\n---')
    .map((part) => JSON.parse(part.split('\r\n\r\n')[1]!) as Record<string, unknown>);
}

const post = (url: string, query: string, accept: string, more: object = {}) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, 'x-api-key': 'good' },
    body: JSON.stringify({ query, ...more }),
  });

test('a client of the format of 2022 gets the parts by path and label', async () => {
  await using graph = await endpoint();
  const response = await post(graph.url, QUERY, OLD);
  expect(response.headers.get('content-type')).toBe('multipart/mixed; boundary="-"; deferSpec=20220824');
  const [first, ...others] = await partsIn(response);
  expect(first).toEqual({ data: { hello: 'hello world', me: { id: '1' } }, hasNext: true });
  expect(others).toHaveLength(2);
  expect(others.flatMap(({ incremental }) => incremental)).toEqual(
    expect.arrayContaining([
      { data: { slow: 'done' }, path: [], label: 'later' },
      { data: { name: 'Ada', friends: [{ id: '1' }] }, path: ['me'] },
    ]),
  );
  expect(others.map(({ hasNext }) => hasNext)).toEqual([true, false]);
});

test('a client of the draft gets the parts by id', async () => {
  await using graph = await endpoint();
  const response = await post(graph.url, QUERY, DRAFT);
  expect(response.headers.get('content-type')).toBe('multipart/mixed; boundary="-"; incrementalSpec=v0.2');
  const [first, ...others] = await partsIn(response);
  expect(first).toEqual({
    data: { hello: 'hello world', me: { id: '1' } },
    pending: [
      { id: '0', path: ['me'] },
      { id: '1', path: [], label: 'later' },
    ],
    hasNext: true,
  });
  expect(others).toEqual([
    { incremental: [{ id: '0', data: { name: 'Ada', friends: [{ id: '1' }] } }], completed: [{ id: '0' }], hasNext: true },
    { incremental: [{ id: '1', data: { slow: 'done' } }], completed: [{ id: '1' }], hasNext: false },
  ]);
});

test('media types are accepted in any case', async () => {
  await using graph = await endpoint();
  const response = await post(graph.url, '{ hello ... @defer { slow(ms: 1) } }', 'Multipart/Mixed; DEFERSPEC=20220824');
  expect(response.headers.get('content-type')).toBe('multipart/mixed; boundary="-"; deferSpec=20220824');
  expect(await partsIn(response)).toHaveLength(2);
});

test.each(['HTTP', 'WebSocket'])('the parts over %s end in the time of the operation', async (transport) => {
  await using graph = await endpoint({ timeout: 400 });
  const query = '{ hello ... @defer { stuck } }';
  const message = 'The operation took longer than 0.4 seconds';
  if (transport === 'HTTP') {
    const [, last] = await partsIn(await post(graph.url, query, OLD));
    expect(last).toMatchObject({ incremental: [{ data: null, path: [], errors: [{ message }] }], hasNext: false });
    return;
  }
  const client = await raw(graph);
  await client.hello();
  client.run('1', query);
  await until(() => client.messages.some(({ type }) => type === 'complete'));
  expect(client.messages.filter(({ type }) => type === 'next').at(-1)).toMatchObject({
    payload: { incremental: [{ data: null, errors: [{ message }] }], hasNext: false },
  });
  client.socket.terminate();
});

test('the first part arrives before the last one is ready', async () => {
  await using graph = await endpoint();
  const { body } = await post(graph.url, '{ hello ... @defer { slow(ms: 60000) } }', OLD);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  await until(async () => {
    text += (await reader.read()).value ?? '';
    return text.includes('"hasNext":true');
  });
  expect(text).toContain('{"hello":"hello world"}');
  // The disconnect aborts what the caller does not wait for any more.
  await reader.cancel();
  await until(() => graph.seen.contexts.some(({ signal }) => signal!.aborted));
});

test('a client that leaves before the first part is no failed operation', async () => {
  await using graph = await endpoint();
  const left = new AbortController();
  const body = JSON.stringify({ query: '{ slow(ms: 60000) ... @defer { hello } }' });
  const headers = { 'content-type': 'application/json', accept: 'multipart/mixed', 'x-api-key': 'good' };
  const request = fetch(`${graph.url}/graphql`, { method: 'POST', headers, body, signal: left.signal });
  await until(() => graph.seen.contexts.length > 0);
  left.abort();
  await expect(request).rejects.toThrow('aborted');
  await until(() => graph.seen.contexts[0]!.signal!.aborted);
  // The server has ended the first request when it answers the next one.
  expect((await post(graph.url, '{ hello }', OLD)).status).toBe(200);
  expect(graph.seen.log.filter((line) => line.includes('Operation failed'))).toEqual([]);
});

test('an error of a part is masked like any other, and the rest of the response is sent', async () => {
  await using graph = await endpoint();
  const [first, second] = await partsIn(await post(graph.url, '{ hello ... @defer { broken refused } }', DRAFT));
  expect(first).toMatchObject({ data: { hello: 'hello world' }, hasNext: true });
  expect(second).toMatchObject({ incremental: [{ id: '0', data: { broken: null, refused: null } }] });
  expect(JSON.stringify(second)).toContain('"NOT_FOUND"');
  expect(JSON.stringify(second)).not.toContain('secret');
});

test('a part that becomes null is completed with its errors', async () => {
  await using graph = await endpoint();
  const query = '{ hello ... @defer { failing } }';
  const [, draft] = await partsIn(await post(graph.url, query, DRAFT));
  expect(draft).toMatchObject({ completed: [{ id: '0', errors: [{ path: ['failing'] }] }], hasNext: false });
  expect(draft).not.toHaveProperty('incremental');
  const [, old] = await partsIn(await post(graph.url, query, OLD));
  expect(old).toMatchObject({ incremental: [{ data: null, path: [], errors: [{ path: ['failing'] }] }], hasNext: false });
});

test('a client that accepts no parts gets one complete answer', async () => {
  await using graph = await endpoint();
  for (const accept of ['application/json', `${OLD.split(',')[0]};q=0, application/json`]) {
    const response = await post(graph.url, QUERY, accept);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ data: MERGED });
  }
});

const PARTS = 'multipart/mixed; boundary="-"; ';
test.each([
  ['multipart/mixed;q=0.5, application/json', 'application/json; charset=utf-8'],
  [
    'application/graphql-response+json, multipart/mixed;deferSpec=20220824;q=0.9',
    'application/graphql-response+json; charset=utf-8',
  ],
  ['multipart/mixed;q=0.9, */*', 'application/json; charset=utf-8'],
  ['multipart/mixed;q=0.9, application/json;q=0.9', `${PARTS}incrementalSpec=v0.2`],
  ['multipart/mixed;q=0.9, */*;q=0.1', `${PARTS}incrementalSpec=v0.2`],
  ['application/json;q=0.5, multipart/mixed;q=0.2, multipart/mixed;deferSpec=20220824;q=0.8', `${PARTS}deferSpec=20220824`],
])('Accept: %s is answered by %s', async (accept, type) => {
  await using graph = await endpoint();
  const response = await post(graph.url, '{ hello ... @defer { slow(ms: 1) } }', accept);
  expect(response.headers.get('content-type')).toBe(type);
  if (!type.startsWith(PARTS)) expect(await response.json()).toEqual({ data: { hello: 'hello world', slow: 'done' } });
});

test('a client that accepts parts gets plain JSON for an operation without any, and only parts if it accepts nothing else', async () => {
  await using graph = await endpoint();
  for (const query of ['{ hello }', '{ hello ... @defer(if: false) { me { id } } }']) {
    const plain = await post(graph.url, query, OLD);
    expect(plain.headers.get('content-type')).toMatch(/^application\/json/);
  }
  expect(await partsIn(await post(graph.url, '{ hello }', 'multipart/mixed'))).toEqual([
    { data: { hello: 'hello world' }, hasNext: false },
  ]);
  expect((await post(graph.url, '{ nothing }', 'multipart/mixed')).headers.get('content-type')).toMatch(/^application\/json/);
});

test.each([
  ['mutation { ... @defer { note(text: "a") } }', '@defer cannot be used at the root of a mutation'],
  ['subscription { ... @defer { ticks } }', '@defer cannot be used in subscriptions'],
  ['subscription { ...Ticks } fragment Ticks on Subscription { ... @defer { ticks } }', '@defer cannot be used in subscriptions'],
  ['query ($l: String) { me { ... @defer(label: $l) { id } } }', 'The label of @defer must be a literal string'],
  ['{ me { ... @defer(label: "a") { id } ... @defer(label: "a") { name } } }', 'The label "a" of @defer must be unique'],
  ['{ friends @stream { id } }', '@stream is not supported: ask for a page of the list, or defer a fragment with @defer'],
])('%s is refused', async (query, message) => {
  await using graph = await endpoint();
  const { status, body } = await graph.ask(query);
  expect([status, body.errors!.map((error) => error.message)]).toEqual([400, expect.arrayContaining([message])]);
});

test('a document with a subscription can defer in its queries', async () => {
  await using graph = await endpoint();
  const query = 'query Page { ...Hello @defer } subscription Ticks { ticks } fragment Hello on Query { hello }';
  const response = await post(graph.url, query, DRAFT, { operationName: 'Page' });
  expect(await partsIn(response)).toMatchObject([{ data: {} }, { incremental: [{ data: { hello: 'hello world' } }] }]);
});

test('a WebSocket client gets each part as a message of its operation', async () => {
  await using graph = await endpoint();
  const client = await raw(graph);
  await client.hello();
  client.run('1', QUERY);
  await until(() => client.messages.some(({ type }) => type === 'complete'));
  const payloads = client.messages.filter(({ type }) => type === 'next').map(({ payload }) => payload as object);
  expect(payloads).toEqual([
    { data: { hello: 'hello world', me: { id: '1' } }, hasNext: true },
    { incremental: [{ data: { name: 'Ada', friends: [{ id: '1' }] }, path: ['me'] }], hasNext: true },
    { incremental: [{ data: { slow: 'done' }, path: [], label: 'later' }], hasNext: false },
  ]);
  client.socket.terminate();
});

test('a completed WebSocket operation sends no further part', async () => {
  await using graph = await endpoint();
  const client = await raw(graph);
  await client.hello();
  client.run('1', '{ hello ... @defer { slow(ms: 60000) } }');
  await until(() => client.messages.some(({ type }) => type === 'next'));
  client.say({ type: 'complete', id: '1' });
  await until(() => graph.seen.contexts.some(({ signal }) => signal!.aborted));
  client.run('2', '{ hello }');
  await until(() => client.messages.some(({ type, id }) => type === 'complete' && id === '2'));
  expect(client.messages.filter(({ type, id }) => type === 'next' && id === '1')).toHaveLength(1);
  client.socket.terminate();
});

test('Apollo Server ignores @defer', async () => {
  await using graph = await endpoint({ apollo: {} });
  expect(await (await post(graph.url, QUERY, 'application/json')).json()).toEqual({ data: MERGED });
});

describe('real clients show the first part before the second', () => {
  test.each([
    ['2022', new Defer20220824Handler()],
    ['the draft', new GraphQL17Alpha9Handler()],
  ])('Apollo Client with the format of %s', async (_, incrementalHandler) => {
    await using graph = await endpoint();
    const link = new HttpLink({ uri: `${graph.url}/graphql`, headers: { 'x-api-key': 'good' } });
    const client = new ApolloClient({ link, cache: new InMemoryCache(), incrementalHandler });
    const seen: unknown[] = [];
    const query = client.watchQuery({ query: gql(QUERY) });
    const subscription = query.subscribe(({ data, dataState }) => seen.push([dataState, data]));
    await until(() => seen.some((each) => (each as unknown[])[0] === 'complete'));
    subscription.unsubscribe();
    expect(seen).toContainEqual(['streaming', expect.objectContaining({ hello: 'hello world' })]);
    expect(
      JSON.parse(JSON.stringify((seen.at(-1) as unknown[])[1], (key, value) => (key === '__typename' ? undefined : value))),
    ).toEqual(MERGED);
    client.stop();
  });

  test('urql', async () => {
    await using graph = await endpoint();
    const client = new Client({
      url: `${graph.url}/graphql`,
      exchanges: [cacheExchange, fetchExchange],
      fetchOptions: { headers: { 'x-api-key': 'good' } },
      preferGetMethod: false,
    });
    const results: { data?: unknown; hasNext: boolean }[] = [];
    const subscription = client.query(QUERY, {}).subscribe(({ data, hasNext }) => results.push({ data, hasNext }));
    await until(() => results.length > 0 && !results.at(-1)!.hasNext);
    subscription.unsubscribe();
    expect(results[0]).toMatchObject({ data: { hello: 'hello world' }, hasNext: true });
    expect(results.at(-1)!.data).toMatchObject(MERGED);
  });
});
