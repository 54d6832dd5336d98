import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { type FastifyInstance, fastify } from 'fastify';
import { buildSchema } from 'graphql';
import { restAdapter } from '../../rest-adapter/adapter.ts';
import { UploadBudget } from '../../rest-adapter/request/upload-space.ts';
import { table } from '../../rest-adapter/route.ts';
import { catalog } from '../../rest-adapter/surfaces.ts';
import { rootedGateway } from '../gateway/support/rooted.ts';
import { until } from '../support/until.ts';

const MB = 1024 * 1024;
const BUDGET = 12 * MB;
const budget = new UploadBudget(BUDGET);
const types = ['text/csv'];
const upload = {
  summary: 'Upload files',
  files: { count: 5, bytes: 5 * MB, total: 20 * MB, types },
  graphql: 'mutation ($files: [ID!]!) { keep(files: $files) { ids } }',
  example: { params: { organization: 'acme' } },
};

const typeDefs = 'type Kept { ids: [ID!]! } type Query { a: Int } type Mutation { keep(files: [ID!]!): Kept! }';
let app: FastifyInstance;
let url: string;
beforeAll(async () => {
  const schema = buildSchema(typeDefs);
  const { prepare } = rootedGateway(typeDefs, { keep: ({ files }: { files: string[] }) => ({ ids: files }) });
  let ids = 0;
  app = fastify({ forceCloseConnections: true });
  await app.register(
    restAdapter({
      ...{ tables: [table(catalog, { 'POST /files': upload })], schema, prepare, listener: 'main', version: '1' },
      // Each organization of a path admits its own requests.
      admit: async ({ headers }) => ({ limit: 1, remaining: 1, reset: 1, organizationId: headers['x-organization'] }),
      files: {
        async keep({ content }) {
          for await (const _ of content);
          return String(++ids);
        },
        async discard() {},
      },
      uploads: budget,
    }),
  );
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

const HEAD = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n';
const END = '\r\n--b--\r\n';

interface Answer {
  status: number | undefined;
  retryAfter: string | undefined;
  body: unknown;
}

/** Begin a form with one file. Without an announced length it is sent in chunks. */
function beginForm(organization: string, announced?: number) {
  const length = announced === undefined ? {} : { 'content-length': announced };
  const headers = { 'x-api-key': 'k', 'content-type': 'multipart/form-data; boundary=b', ...length };
  const sending = request(`${url}/api/${organization}/files`, { method: 'POST', headers });
  const answer = new Promise<Answer>((resolve, reject) => {
    sending.on('error', reject).on('response', async (response) => {
      const { statusCode: status, headers } = response;
      resolve({ status, retryAfter: headers['retry-after'], body: await json(response) });
    });
  });
  answer.catch(() => {});
  sending.write(HEAD);
  return {
    answer,
    write: (bytes: number) => sending.write(Buffer.alloc(bytes, 'a')),
    /** Send the rest of the announced bytes. */
    finish() {
      if (announced !== undefined) sending.write(Buffer.alloc(announced - HEAD.length - END.length, 'a'));
      sending.end(END);
      return answer;
    },
    leave: () => sending.destroy(),
  };
}

const kept = { status: 200, retryAfter: undefined, body: { success: true, data: { ids: [expect.any(String)] } } };
const ownShare = { status: 429, retryAfter: '10', body: { success: false, message: 'Rate limit exceeded' } };
const unavailable = { status: 503, body: { success: false, message: 'Service Unavailable' } };

const untilFree = (bytes: number) => until(() => budget.free === bytes);

test('forms of an organization get its share only, and those of others the rest', async () => {
  const own = beginForm('acme', 4 * MB);
  const other = beginForm('other', 4 * MB);
  await untilFree(4 * MB);
  expect(await beginForm('acme', 3 * MB).answer).toEqual(ownShare);
  expect(await beginForm('third', 3 * MB).answer).toMatchObject(unavailable);
  expect(await beginForm('third', 2 * MB).finish()).toEqual(kept);
  expect(await Promise.all([own.finish(), other.finish()])).toEqual([kept, kept]);
  await untilFree(BUDGET);
});

test('a form that announces no length takes its share while it is sent', async () => {
  const first = beginForm('acme', 4 * MB);
  await untilFree(8 * MB);
  const second = beginForm('acme');
  second.write(MB);
  await untilFree(7 * MB);
  second.write(3 * MB);
  expect(await second.answer).toEqual(ownShare);
  expect(await first.finish()).toEqual(kept);
  expect(await beginForm('acme').finish()).toEqual(kept);
  await untilFree(BUDGET);
});

test('a form returns its share however it ends', async () => {
  const [announced, chunked] = [beginForm('acme', 4 * MB), beginForm('other')];
  chunked.write(MB);
  await untilFree(7 * MB);
  announced.leave();
  chunked.leave();
  await untilFree(BUDGET);
  const invalid = beginForm('acme', HEAD.length + 100);
  invalid.write(100);
  expect(await invalid.answer).toMatchObject({ status: 400 });
  const oversized = beginForm('acme');
  oversized.write(5 * MB + 1);
  expect(await oversized.finish()).toMatchObject({ status: 400 });
  await untilFree(BUDGET);
});

test('a form that never fits is refused for its size', async () => {
  const message = 'Invalid request body: the files must be at most 5 MB in all';
  expect(await beginForm('acme', 7 * MB).answer).toEqual({ status: 400, retryAfter: undefined, body: { success: false, message } });
});
