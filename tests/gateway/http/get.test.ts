import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Endpoint } from './endpoint.ts';
import { endpoint, fronts } from './endpoint.ts';

describe.each(fronts)('%s', (_, front) => {
  let graph: Endpoint;
  beforeAll(async () => {
    graph = await endpoint(front);
  });
  afterAll(() => graph.app.close());

  const get = (parameters: Record<string, string>, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${graph.url}/graphql?${new URLSearchParams(parameters)}`, {
      method,
      headers: { 'graphql-require-preflight': '1', accept: 'application/graphql-response+json', ...headers },
    });

  test('a query with its variables runs by GET', async () => {
    const query = 'query A { me { id } } query B($name: String) { hello(name: $name) }';
    const answer = await get({ query, operationName: 'B', variables: '{"name": "Ada"}', extensions: '' });
    expect([answer.status, await answer.json()]).toEqual([200, { data: { hello: 'hello Ada' } }]);
  });

  test.each([
    ['variables that are no JSON', { query: '{ hello }', variables: '{' }],
    ['variables that are a list', { query: '{ hello }', variables: '[]' }],
    ['extensions that are a number', { query: '{ hello }', extensions: '1' }],
    ['no query', { operationName: 'A' }],
  ])('%s by GET are rejected with 400', async (_, parameters) => {
    expect((await get(parameters as Record<string, string>)).status).toBe(400);
  });

  test('a parameter that comes twice is rejected with 400', async () => {
    const answer = await fetch(`${graph.url}/graphql?query={hello}&query={me{id}}`, { headers: { 'x-api-key': 'good' } });
    expect(answer.status).toBe(400);
  });

  test('HEAD returns the headers of GET without a body', async () => {
    const [headed, got] = [await get({ query: '{ hello }' }, {}, 'HEAD'), await get({ query: '{ hello }' })];
    expect(headed.status).toBe(200);
    for (const name of ['content-type', 'content-length', 'cache-control'])
      expect(headed.headers.get(name)).toBe(got.headers.get(name));
    expect(await headed.text()).toBe('');
  });

  test('a mutation by GET is rejected with 405, whatever the media type, and does not run', async () => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const answer = await get({ query: 'mutation { note(text: "a") }' }, { accept });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is rejected with 405', async (method) => {
    const answer = await fetch(`${graph.url}/graphql`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('responses are not cacheable, except introspection, which carries no rate-limit headers', async () => {
    const cachingOf = async (query: string, headers = {}) => {
      const answer = await get({ query }, headers);
      return [answer.status, answer.headers.get('cache-control'), answer.headers.has('x-ratelimit-remaining')];
    };
    const mine = 'private, no-store';
    expect(await cachingOf('{ hello }')).toEqual([200, mine, true]);
    expect(await cachingOf('{ __typename }')).toEqual([200, mine, true]);
    expect(await cachingOf('{ __schema { queryType { name } } hello }')).toEqual([200, mine, true]);
    expect(await cachingOf('{ __schema { nothing } }')).toEqual([400, mine, true]);
    expect(await cachingOf('{ hello }', { 'x-api-key': 'nobody' })).toEqual([403, mine, true]);
    expect(await cachingOf('{ __schema { queryType { name } } }')).toEqual([200, 'public, max-age=60', false]);
    expect((await graph.ask('{ __schema { queryType { name } } }')).headers.get('cache-control')).toBe(mine);
  });

  test.each(['x-api-key', 'apollo-require-preflight', 'graphql-require-preflight', 'x-apollo-operation-name'])(
    'a GET with the header %s passes; without one it is refused before anything is counted',
    async (name) => {
      const passed = await fetch(`${graph.url}/graphql?query={hello}`, { headers: { [name]: 'good' } });
      expect(passed.status).toBe(200);
      const refused = await fetch(`${graph.url}/graphql?query={hello}`);
      expect([refused.status, refused.headers.has('x-ratelimit-limit')]).toEqual([400, false]);
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a', undefined])(
    'a body of the type %p, which any page could send, is refused with 415',
    async (type) => {
      const answer = await fetch(`${graph.url}/graphql`, {
        method: 'POST',
        headers: type ? { 'content-type': type } : {},
        body: new TextEncoder().encode('{"query":"{ hello }"}'),
      });
      expect(answer.status).toBe(415);
    },
  );

  test('a truncated body is rejected with 400 and runs nothing', async () => {
    const before = graph.seen.contexts.length;
    const socket = connect(Number(new URL(graph.url).port), '127.0.0.1');
    const body = '{"query":"{ hello }"';
    socket.end(
      `POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\nconnection: close\r\n\r\n${body}`,
    );
    const answer = await new Promise<string>((done) => {
      let text = '';
      socket.on('data', (bytes) => (text += bytes)).on('close', () => done(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 |^$/);
    expect(graph.seen.contexts.length).toBe(before);
  });

  test('variables of 9 MiB pass, and a body above the limit is rejected with 413 during the upload', async () => {
    const name = 'a'.repeat(9 * 1024 * 1024);
    const { status, body } = await graph.ask(
      'query ($name: String) { hello(name: $name) }',
      { 'x-api-key': 'good' },
      { variables: { name } },
    );
    expect([status, (body.data!.hello as string).length]).toEqual([200, name.length + 6]);

    await using small = await endpoint({ ...front, bodyLimit: 2_000 });
    expect((await small.ask('{ hello }', {}, { variables: { name: 'a'.repeat(2_000) } })).status).toBe(413);
    const chunked = await new Promise<number>((done, reject) => {
      const sending = request(
        `${small.url}/graphql`,
        { method: 'POST', headers: { 'content-type': 'application/json' } },
        (answer) => done(answer.resume().statusCode!),
      ).on('error', reject);
      for (let part = 0; part < 10; part++) sending.write(' '.repeat(1_000));
      sending.end();
    });
    expect(chunked).toBe(413);
  });
});
