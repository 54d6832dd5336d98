import { describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { until } from '../../support/until.ts';
import { endpoint, fronts } from './endpoint.ts';
import { clientOf, key } from './websocket-client.ts';

describe.each(fronts)('%s', (_, front) => {
  test('an operation runs by POST and by GET', async () => {
    await using graph = await endpoint(front);
    const posted = await graph.ask('query ($name: String) { hello(name: $name) }', {}, { variables: { name: 'Ada' } });
    expect(posted).toMatchObject({ status: 200, body: { data: { hello: 'hello Ada' } } });

    const got = await fetch(`${graph.url}/graphql?query={hello}`, { headers: { 'apollo-require-preflight': '1' } });
    expect(await got.json()).toEqual({ data: { hello: 'hello world' } });
  });

  test('subgraphs receive the credential and address of the caller in one shared object', async () => {
    await using graph = await endpoint(front);
    const { body } = await graph.ask('{ seen }', {
      'x-api-key': 'good',
      origin: 'https://a.example',
      'x-client-address': '1.2.3.4',
    });
    expect(JSON.parse(body.data!.seen as string)).toEqual({
      'x-api-key': 'good',
      origin: 'https://a.example',
      'x-client-address': '127.0.0.1',
    });
    expect(graph.seen.contexts[0]!.signal).toBeInstanceOf(AbortSignal);
  });

  test('each response has the number of remaining requests', async () => {
    await using graph = await endpoint(front);
    const { headers } = await graph.ask('{ hello }', { 'x-api-key': 'good' });
    expect(headers.get('x-ratelimit-limit')).toBe('120');
    expect(headers.get('x-ratelimit-remaining')).toBe('119');
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
  });

  test('a key above its rate limit gets 429 with a retry time', async () => {
    await using graph = await endpoint(front);
    const { status, headers, body } = await graph.ask('{ hello }', { 'x-api-key': 'empty' });
    expect(status).toBe(429);
    expect(body.errors).toEqual([{ message: 'Rate limit exceeded', extensions: { code: 'RATE_LIMITED' } }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
  });

  test.each([
    ['!', 401, 'INVALID_KEY'],
    ['nobody', 403, 'UNKNOWN_KEY'],
  ])('the key %p is rejected with %i, not taken for anonymous', async (key, status, code) => {
    await using graph = await endpoint(front);
    const answer = await graph.ask('{ hello }', { authorization: `Bearer ${key}` });
    expect(answer).toMatchObject({ status, body: { errors: [{ message: 'Invalid API Key', extensions: { code } }] } });
    expect(graph.seen.contexts).toEqual([]);
  });

  test('a documented error keeps its message and code, with partial data', async () => {
    await using graph = await endpoint(front);
    expect(await graph.ask('{ hello refused }')).toMatchObject({
      status: 200,
      body: {
        data: { hello: 'hello world', refused: null },
        errors: [{ message: 'Product not found', path: ['refused'], extensions: { code: 'NOT_FOUND' } }],
      },
    });
  });

  test('any other error is masked with an id that the log contains', async () => {
    await using graph = await endpoint(front);
    const { body } = await graph.ask('{ broken }');
    const [error] = body.errors!;
    expect(error).toMatchObject({ message: 'Internal Server Error', extensions: { code: 'INTERNAL_SERVER_ERROR' } });
    expect(Object.keys(error!.extensions).sort()).toEqual(['code', 'id']);
    expect(graph.seen.log.join('')).toContain(error!.extensions.id);
  });

  test('a failing admission is masked as well', async () => {
    await using graph = await endpoint(front);
    const { status, body } = await graph.ask('{ hello }', { 'x-api-key': 'boom' });
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(graph.seen.log.join('')).toContain('secret: the database is gone');
  });

  test('an operation times out', async () => {
    await using graph = await endpoint({ ...front, timeout: 50 });
    expect(await graph.ask('{ slow(ms: 1000) }')).toMatchObject({
      status: 503,
      body: { errors: [{ extensions: { code: 'UNAVAILABLE' } }] },
    });
    expect(graph.seen.contexts[0]!.signal!.aborted).toBe(true);
  });

  test('a disconnected caller aborts its operation', async () => {
    await using graph = await endpoint(front);
    const gone = new AbortController();
    const asked = fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ slow(ms: 300) }' }),
      signal: gone.signal,
    });
    await until(() => graph.seen.contexts.length > 0);
    gone.abort();
    await expect(asked).rejects.toThrow();
    await new Promise((done) => setTimeout(done, 50));
    expect(graph.seen.contexts[0]!.signal!.aborted).toBe(true);
  });

  test('the introspection of tools passes the limits, and can be switched off', async () => {
    await using open = await endpoint(front);
    expect((await open.ask(getIntrospectionQuery())).body.errors).toBeUndefined();

    await using closed = await endpoint({ ...front, introspection: false });
    expect(await closed.ask('{ __schema { description } }')).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    });
    expect((await closed.ask('{ helo }')).body.errors![0]!.message).not.toContain('hello');

    const client = clientOf(closed, key);
    await expect(client.iterate({ query: '{ __schema { description } }' }).next()).rejects.toMatchObject([
      { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ]);
    await client.dispose();
  });

  test('a mutation by GET, a batch, a subscription by POST and a form are rejected', async () => {
    await using graph = await endpoint(front);
    const mutation = await fetch(`${graph.url}/graphql?query=${encodeURIComponent('mutation { note(text: "a") }')}`, {
      headers: { 'apollo-require-preflight': '1' },
    });
    expect(mutation.status).toBe(405);

    const batch = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ query: '{ hello }' }]),
    });
    expect(batch.status).toBe(400);

    expect(await graph.ask('subscription { ticks }')).toMatchObject({
      status: 400,
      body: { errors: [{ message: expect.stringContaining('WebSocket') }] },
    });

    const form = await fetch(`${graph.url}/graphql`, { method: 'POST', body: '{"query":"{ hello }"}' });
    expect(form.status).toBe(415);
    const simple = await fetch(`${graph.url}/graphql?query={hello}`);
    expect(simple.status).toBe(400);
  });
});
