import Fastify from 'fastify';
import { buildSchema } from 'graphql';
import { restAdapter } from '../../rest-adapter/adapter.ts';
import { openApiDocument } from '../../rest-adapter/openapi/document.ts';
import { table } from '../../rest-adapter/route.ts';
import { catalog } from '../../rest-adapter/surfaces.ts';
import { fail } from '../../schema/errors.ts';
import { rootedGateway } from '../gateway/support/rooted.ts';
import { admitted } from './engine-face.ts';

const typeDefs = `
  type Page { name: String! columns: [String!]! rows: [[String!]!]! next: String }
  type Query { file(id: ID!, after: String): Page! }
`;
const schema = buildSchema(typeDefs);
const tables = [
  table(catalog, {
    'GET /files/{id}': {
      summary: 'Download',
      graphql: 'query ($id: ID!, $after: String) { file(id: $id, after: $after) { name columns rows next } }',
      reply: 'file',
      example: { params: { id: 'short' } },
    },
  }),
];

const asked: unknown[] = [];
const rootValue = {
  file({ id, after }: { id: string; after: string | null }) {
    asked.push(after);
    if (id === 'unknown') throw fail('NOT_FOUND', 'Job not found');
    if (id === 'broken' && after) throw new Error('the database is gone');
    const at = Number(after ?? 0);
    // About one megabyte per page.
    const rows =
      id === 'odd' ? [['a,b', 'say "x"', 'cr\rlf\n', '', ' y ']] : Array.from({ length: 10 }, () => ['x'.repeat(100_000)]);
    return { name: `${id}.csv`, columns: ['h'], rows, next: id === 'odd' || at === 49 ? null : String(at + 1) };
  },
};
const { prepare } = rootedGateway(typeDefs, rootValue);

const fastify = Fastify();
let url: string;
beforeAll(async () => {
  await fastify.register(restAdapter({ tables, schema, prepare, admit: async () => admitted, listener: 'main', version: '1.2.3' }));
  url = `${await fastify.listen({ host: '127.0.0.1', port: 0 })}/api/acme/files`;
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => fastify.close());

test('cells are quoted if necessary, and records end with CRLF', async () => {
  const answer = await fetch(`${url}/odd`);
  expect(await answer.text()).toBe('h\r\n"a,b","say ""x""","cr\rlf\n",, y \r\n');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="odd.csv"');
});

test('pages are read sequentially and on demand', async () => {
  const { body } = await fetch(`${url}/long`);
  const reader = body!.getReader();
  await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 200));
  // Only socket buffers are ahead of the reader, not all fifty pages.
  expect(asked.length).toBeLessThan(25);
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  expect(bytes).toBeGreaterThan(49_000_000);
  expect(asked).toEqual([null, ...Array.from({ length: 49 }, (_, at) => String(at + 1))]);
});

test('a failure before the first byte is an error response, a later one aborts the file', async () => {
  const refused = await fetch(`${url}/unknown`);
  expect([refused.status, await refused.json()]).toEqual([404, { success: false, message: 'Job not found' }]);
  const cut = await fetch(`${url}/broken`);
  expect(cut.status).toBe(200);
  await expect(cut.text()).rejects.toThrow();
});

test('a caller cannot choose the page', async () => {
  await (await fetch(`${url}/odd?after=7`)).text();
  expect(asked).toEqual([null]);
});

test('the document declares a CSV file and has no cursor', () => {
  const document = openApiDocument({ tables, schema, listener: 'main', version: '1' });
  const operation = document.paths['/api/{organization}/files/{id}']!.get as {
    responses: Record<string, unknown>;
    parameters: { name: string }[];
  };
  expect(operation.responses[200]).toMatchObject({ content: { 'text/csv': { schema: { type: 'string' } } } });
  expect(operation.parameters.map(({ name }) => name)).toEqual(['organization', 'id']);
});
