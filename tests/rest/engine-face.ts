import type { RequestContext } from 'compiled-gateway';
import Fastify from 'fastify';
import { buildSchema } from 'graphql';
import { restAdapter, unreadablePaths } from '../../rest-adapter/adapter.ts';
import { table } from '../../rest-adapter/route.ts';
import { admin, catalog, integration, organizations, siteContent, widget } from '../../rest-adapter/surfaces.ts';
import { type ErrorCode, fail } from '../../schema/errors.ts';
import type { Admission, Requirement } from '../../schema/request.ts';
import { rootedGateway } from '../gateway/support/rooted.ts';

const typeDefs = `
  directive @constraint(minLength: Int, maxLength: Int, min: Float, max: Float, minItems: Int, maxItems: Int, pattern: String)
    on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
  scalar JSON
  scalar ModelType
  "How it is sorted."
  scalar ImportSort
  enum Color { red green }
  "An item."
  type Item { id: ID! name: String tags: [String!] color: Color data: JSON }
  type Items { items: [Item!]! meta: JSON }
  type Echo { seen: JSON }
  type Text { text: String! }
  "A new item."
  input NewItem {
    "The name."
    name: String! @constraint(minLength: 1, maxLength: 8)
    color: Color = red
    children: [NewItem!]
    data: JSON
    ids: [ID!] @constraint(minItems: 1, maxItems: 3)
  }
  type Query {
    echo(page: Int = 1 @constraint(min: 1), "How many." limit: Int! = 10, search: String, ratio: Float, on: Boolean, ids: [ID!], numbers: [Int!],
         model: ModelType, sort: ImportSort, data: JSON, constructor: String, item: NewItem, hidden: Boolean): Echo!
    items: Items!
    empty: Echo
    text(text: String!): Text!
    refuse(code: String!, message: String!, extra: JSON): Echo!
    slow: Echo!
  }
  type Mutation { create(input: NewItem!, parent: ID): Echo! stop(job_id: ID!): Item! }
`;
export const schema = buildSchema(typeDefs);

/** Input and result of the last operation. */
export const seen: { variables?: Record<string, unknown>; context?: RequestContext; aborted?: Promise<unknown> } = {};

const echo = (variables: Record<string, unknown>) => ({ seen: variables });
const rootValue = {
  echo,
  items: {
    items: [
      { id: '1', name: null, data: null, tags: null },
      { id: '2', name: 'b', data: { a: null } },
    ],
    meta: { page: 1 },
  },
  empty: null,
  text: ({ text }: { text: string }) => ({ text }),
  refuse: ({ code, message, extra }: { code: ErrorCode; message: string; extra?: Record<string, unknown> }) => {
    throw code in { BOOM: 1 } ? new Error(message) : fail(code, message, extra);
  },
  slow: (_: unknown, context: RequestContext) => {
    seen.aborted = new Promise((resolve) => context.signal!.addEventListener('abort', () => resolve('aborted')));
    return seen.aborted.then(echo as never);
  },
  create: echo,
  stop: ({ job_id }: { job_id: string }) => ({ id: job_id, name: 'stopped' }),
};

const rows = table(catalog, {
  'POST /products/get': {
    summary: 'Look at products',
    description: 'All that is taken.',
    graphql: `query ($page: Int, $limit: Int = 20, $search: String, $ratio: Float, $on: Boolean, $ids: [ID!], $numbers: [Int!], $model: ModelType,
                     $sort: ImportSort, $data: JSON, $constructor: String, $item: NewItem) {
      echo(page: $page, limit: $limit, search: $search, ratio: $ratio, on: $on, ids: $ids, numbers: $numbers, model: $model, sort: $sort,
           data: $data, constructor: $constructor, item: $item) { seen }
    }`,
    example: { body: { page: 2, limit: 5, model: 'budget-v1', sort: 'name-asc' } },
  },
  'POST /products/create': {
    summary: 'Create',
    graphql: 'mutation ($input: NewItem!) { created: create(input: $input) { seen } }',
    status: 201,
    example: { body: { name: 'Drill', ids: ['1'] } },
    errors: { CONFLICT: 'It is there.' },
  },
  'POST /jobs/{job_id}/stop': {
    summary: 'Stop',
    graphql: 'mutation ($job_id: ID!) { stop(job_id: $job_id) { jobId: id name } }',
    envelope: { with: { success: true, message: 'Job stopped' }, under: 'data' },
    example: { params: { job_id: '7' } },
    errors: ['NOT_FOUND'],
  },
  'POST /jobs/{job_id}/echo': {
    summary: 'Path before query before body',
    graphql: 'query ($job_id: String, $search: String) { echo(search: $job_id, constructor: $search) { seen } }',
    example: { params: { job_id: '7' }, query: { search: 'x' } },
  },
  'POST /items': { summary: 'Items', graphql: '{ items { items { id name data } } }', omitNull: ['items.data'], example: {} },
  'POST /empty': { summary: 'Nothing', graphql: '{ empty { seen } }', example: {} },
  'POST /refuse': {
    summary: 'Refuse',
    graphql:
      'query ($code: String!, $message: String!, $extra: JSON) { refuse(code: $code, message: $message, extra: $extra) { seen } }',
    example: { body: { code: 'NOT_FOUND', message: 'Product not found' } },
    statuses: { UNPROCESSABLE: 400 },
  },
  'POST /slow': { summary: 'Slow', graphql: '{ slow { seen } }', example: {} },
});

export const tables = [
  rows,
  table(organizations, { 'GET /get': { summary: 'Mine', graphql: '{ text(text: "organizations") { text } }', example: {} } }),
  table(admin, {
    'GET /': { summary: 'Agents', graphql: '{ text(text: "agents") { text } }', example: {} },
    'GET /:agentId': {
      summary: 'Agent',
      graphql: 'query ($agentId: String!) { text(text: $agentId) { text } }',
      example: { params: { agentId: 'a1' } },
    },
  }),
  table(widget, {
    'GET /config': {
      summary: 'Config',
      graphql: 'query ($publicSlug: String!) { text(text: $publicSlug) { text } }',
      example: { params: { publicSlug: 'helper' } },
    },
  }),
  table(integration, {
    'GET /me': { summary: 'Me', graphql: '{ text(text: "me") { text } }', requires: { access: 'user' }, example: {} },
    'GET /leads': {
      summary: 'Leads',
      graphql: `query ($limit: Int, $ids: [ID!], $numbers: [Int!], $ratio: Float, $on: Boolean, $search: String, $sort: ImportSort) {
        echo(limit: $limit, ids: $ids, numbers: $numbers, ratio: $ratio, on: $on, search: $search, sort: $sort) { leads: seen }
      }`,
      example: { query: { limit: '20' } },
    },
    'POST /refuse': {
      summary: 'Refuse',
      graphql: 'query ($code: String!, $message: String!) { refuse(code: $code, message: $message) { seen } }',
      example: { body: { code: 'NOT_FOUND', message: 'no' } },
    },
    'DELETE /webhooks': { summary: 'Delete', graphql: 'query ($search: String) { echo(search: $search) { seen } }', example: {} },
  }),
  table(siteContent, {
    'GET /me': { summary: 'Me', graphql: '{ text(text: "site") { text } }', example: {} },
    'GET /sites': {
      summary: 'Sites',
      graphql: '{ items { data: items { id tags color } meta } }',
      envelope: { with: { ok: true } },
      example: {},
    },
    'GET /refuse': {
      summary: 'Refuse',
      graphql: 'query ($code: String!, $message: String!) { refuse(code: $code, message: $message) { seen } }',
      example: { query: { code: 'NOT_FOUND', message: 'no' } },
    },
  }),
];

export const { prepare } = rootedGateway(typeDefs, rootValue, ({ variables, context }) =>
  Object.assign(seen, { variables, context }),
);

export const admitted: Admission = { limit: 120, remaining: 119, reset: 1_900_000_000, refusal: null };

/** A server with REST routes; a test can replace its admission. */
export async function face({
  listener = 'main' as 'main' | 'site',
  admit = async (_context: RequestContext, _requirement: Requirement): Promise<Admission> => admitted,
  bodyLimit = 300_000,
  timeout = 60_000,
} = {}) {
  const fastify = Fastify({ frameworkErrors: unreadablePaths(tables, listener, { admit }) });
  await fastify.register(restAdapter({ tables, schema, prepare, admit, listener, version: '1.2.3', bodyLimit, timeout }));
  await fastify.ready();
  return fastify;
}
