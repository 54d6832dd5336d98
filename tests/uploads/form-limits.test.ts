import multipart from '@fastify/multipart';
import { type FastifyInstance, fastify } from 'fastify';
import { receiveForm } from '../../rest-adapter/request/multipart.ts';
import { UploadBudget } from '../../rest-adapter/request/upload-space.ts';
import { defaultUploadBudget } from '../../schema/limits.ts';
import type { IncomingFile } from '../../schema/request.ts';

const types = ['text/csv'];
const limits = { count: 3, bytes: 10, total: 20, types };
let kept: { name: string; bytes: number }[] = [];
let app: FastifyInstance;

/** A form endpoint with an in-memory store and low limits. */
beforeAll(async () => {
  const store = {
    async keep({ name, bytes }: IncomingFile) {
      kept.push({ name, bytes });
      return name;
    },
    discard: async () => {},
  };
  app = fastify();
  // The admission of the server sets it.
  app.addHook('onRequest', async (request) => {
    request.context = { headers: {} };
  });
  await app.register(multipart, { throwFileSizeLimit: false });
  const target = { store, budget: new UploadBudget(defaultUploadBudget) };
  app.post('/', async (request) => (await receiveForm(request, limits, target)).ids);
});
afterAll(() => app.close());
beforeEach(() => {
  kept = [];
});

/** Send files of these sizes. */
async function send(...sizes: number[]) {
  const form = new FormData();
  for (const [at, size] of sizes.entries()) form.append('files', new Blob(['x'.repeat(size)], { type: 'text/csv' }), `${at}.csv`);
  const body = new Response(form);
  const { statusCode, payload } = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': body.headers.get('content-type')! },
    payload: Buffer.from(await body.arrayBuffer()),
  });
  return { status: statusCode, answer: JSON.parse(payload).message ?? JSON.parse(payload) };
}

test('files at every limit are stored, with their sizes', async () => {
  expect(await send(10, 9, 1)).toEqual({ status: 200, answer: ['0.csv', '1.csv', '2.csv'] });
  expect(kept.map(({ bytes }) => bytes)).toEqual([10, 9, 1]);
});

const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;
test.each([
  ['one file more', [1, 1, 1, 1], 'there are too many files'],
  ['one byte more in the first file', [11, 1], `the file 0.csv must be at most ${megabytes(10)}`],
  ['one byte more in the last file', [1, 1, 11], `the file 2.csv must be at most ${megabytes(10)}`],
  ['one byte more in all', [10, 10, 1], `the files must be at most ${megabytes(20)} in all`],
])('%s, and no file is stored', async (_, sizes, message) => {
  expect((await send(...sizes)).answer).toContain(message);
  expect(kept).toEqual([]);
});
