import { jest } from '@jest/globals';
import Fastify from 'fastify';
import { buildSchema } from 'graphql';
import { restAdapter } from '../../rest-adapter/adapter.ts';
import { openApiDocument } from '../../rest-adapter/openapi/document.ts';
import { table } from '../../rest-adapter/route.ts';
import { uiMessageStream } from '../../rest-adapter/routes/agents.ts';
import { catalog } from '../../rest-adapter/surfaces.ts';
import { fail } from '../../schema/errors.ts';
import { rootedGateway } from '../gateway/support/rooted.ts';

const typeDefs = `
  type Tick { number: Int! "The owner of the ticks." owner: String! }
  scalar Part
  type Message { part: Part! }
  type Query { nothing: Int }
  type Subscription { ticks(count: Int!, owner: String, error: String): Tick! message: Message! }
`;
let ended = 0;
let isSilent = false;
const silence = Promise.withResolvers<void>();
const rootValue = {
  async *ticks({ count, owner = 'nobody', error }: { count: number; owner?: string; error?: string }) {
    if (count < 0) throw fail('NOT_FOUND', 'Clock not found');
    try {
      for (let number = 1; number <= count; number += 1) yield { ticks: { number, owner } };
      if (error) throw fail('UNPROCESSABLE', error);
    } finally {
      ended += 1;
    }
  },
  async *message() {
    yield { message: { part: { type: 'text-start', id: '1' } } };
    yield { message: { part: { type: 'text-end', id: '1' } } };
    yield { message: { part: { type: 'text-start', id: '2' } } };
    isSilent = true;
    await silence.promise;
    throw fail('UNAVAILABLE', 'The source is lost.');
  },
};
const { prepare } = rootedGateway(typeDefs, rootValue);
const schema = buildSchema(typeDefs);
const graphql =
  'subscription ($count: Int!, $owner: String, $error: String) { ticks(count: $count, owner: $owner, error: $error) { number owner } }';
const tables = [
  table(catalog, {
    'GET /ticks': {
      summary: 'Stream ticks',
      graphql,
      stream: {
        data: 'number',
        headers: { 'X-Owner': 'owner' },
        end: '[DONE]',
        failure: [{ error: '{message}' }],
        none: 'No tick.',
      },
      headerVariables: { owner: 'x-owner' },
      example: { query: { count: '2' } },
    },
    'GET /message': {
      summary: 'Stream a message',
      graphql: 'subscription { message { part } }',
      ...uiMessageStream,
      stream: { ...uiMessageStream.stream, headers: {} },
      example: {},
    },
    'GET /whole': { summary: 'Stream whole ticks', graphql, stream: {}, example: { query: { count: '2' } } },
  }),
];
const options = { tables, schema, prepare, listener: 'main' as const, version: '1' };
const fastify = Fastify();
await fastify.register(restAdapter({ ...options, admit: async () => ({ limit: 1, remaining: 1, reset: 1, refusal: null }) }));
afterAll(() => fastify.close());
const get = async (path: string, headers = {}) => {
  const { statusCode, headers: answered, body } = await fastify.inject({ url: `/api/acme${path}`, headers });
  return { status: statusCode, headers: answered, body };
};

test('each event is one event of the response, and headers come from the first', async () => {
  const { status, headers, body } = await get('/ticks?count=3', { 'x-owner': 'ada' });
  expect(status).toBe(200);
  expect(headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-owner': 'ada' });
  expect(body).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\ndata: [DONE]\n\n');
  expect((await get('/whole?count=1')).body).toBe('data: {"number":1,"owner":"nobody"}\n\n');
});

test('a query value wins over a header', async () => {
  expect((await get('/ticks?count=1&owner=query', { 'x-owner': 'header' })).headers['x-owner']).toBe('query');
});

test('a stream without events is an empty 204', async () => {
  const { status, body } = await get('/ticks?count=0');
  expect([status, body]).toEqual([204, '']);
});

test('a refusal before the first event has its own status', async () => {
  const { status, body } = await get('/ticks?count=x');
  expect([status, JSON.parse(body).success]).toEqual([400, false]);
});

test('a source that fails after the start ends the stream with its failure events', async () => {
  const { status, body } = await get('/ticks?count=1&error=Stopped');
  expect(status).toBe(200);
  expect(body).toMatch(/^data: 1\n\ndata: \{"error":"[^"]+"\}\n\ndata: \[DONE\]\n\n$/);
});

test('a silent stream has comment lines every ten seconds, and an error closes open text before it is reported', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout', 'Date', 'performance'] });
  try {
    const reading = get('/message');
    while (!isSilent || jest.getTimerCount() === 0) await new Promise(setImmediate);
    jest.advanceTimersByTime(20_000);
    silence.resolve();
    const { body } = await reading;
    expect(body.split('\n\n').slice(0, -1)).toEqual([
      'data: {"type":"text-start","id":"1"}',
      'data: {"type":"text-end","id":"1"}',
      'data: {"type":"text-start","id":"2"}',
      ': ping',
      ': ping',
      'data: {"type":"text-end","id":"2"}',
      'data: {"type":"error","errorText":"Service Unavailable"}',
      'data: {"type":"finish-step"}',
      'data: {"type":"finish"}',
      'data: [DONE]',
    ]);
  } finally {
    jest.useRealTimers();
  }
});

test('every stream releases its source', () => {
  expect(ended).toBe(5);
});

test('OpenAPI documents the event stream, its headers and the empty answer', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  const { get: operation } = openApiDocument(options).paths['/api/{organization}/ticks'] as unknown as { get: any };
  const { 200: success, 204: empty } = operation.responses;
  expect(success.content['text/event-stream'].schema).toEqual({
    type: 'object',
    properties: {
      data: {
        oneOf: [
          { const: '[DONE]' },
          { type: 'string', contentMediaType: 'application/json', contentSchema: { type: 'integer' }, not: { const: '[DONE]' } },
        ],
      },
    },
    required: ['data'],
  });
  expect(success.headers['X-Owner']).toEqual({ description: 'The owner of the ticks.', schema: { type: 'string' } });
  expect(empty.description).toBe('No tick.');
  expect(operation.parameters).toContainEqual({ name: 'x-owner', in: 'header', required: false, schema: { type: 'string' } });
});

test('a subscription without a stream format, or a stream of a query, prevents the start', async () => {
  const broken = [table(catalog, { 'GET /ticks': { summary: 'Ticks', graphql, example: {} } })];
  expect(() => restAdapter({ ...options, tables: broken, admit: async () => ({ limit: 1, remaining: 1, reset: 1 }) })).toThrow(
    'a subscription is a stream',
  );
});
