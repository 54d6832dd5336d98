import Fastify from 'fastify';
import { buildSchema } from 'graphql';
import { restAdapter } from '../../rest-adapter/adapter.ts';
import { openApiDocument } from '../../rest-adapter/openapi.ts';
import { table } from '../../rest-adapter/route.ts';
import { catalog } from '../../rest-adapter/surfaces.ts';
import { fail } from '../../schema/errors.ts';
import { rootedGateway } from '../gateway/support/rooted.ts';

const typeDefs = `
  type Tick { number: Int! "The owner of the ticks." owner: String! }
  type Query { nothing: Int }
  type Subscription { ticks(count: Int!, owner: String, error: String): Tick! }
`;
let ended = 0;
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
