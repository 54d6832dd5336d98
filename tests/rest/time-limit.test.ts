import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { RequestContext } from 'compiled-gateway';
import Fastify from 'fastify';
import { buildSchema } from 'graphql';
import { request } from 'undici';
import { restAdapter } from '../../rest-adapter/adapter.ts';
import { type Row, table } from '../../rest-adapter/route.ts';
import { catalog, integration, siteContent } from '../../rest-adapter/surfaces.ts';
import type { FileStore } from '../../schema/request.ts';
import { rootedGateway } from '../gateway/support/rooted.ts';
import { csv } from '../uploads/files.ts';
import { form } from '../uploads/raw.ts';
import { admitted } from './engine-face.ts';

const LIMIT = 4_000;
/** Shorter than the limit, but longer when doubled. */
const LONG = 2_100;
const LATE = 12_000;

const typeDefs = `
  type Page { name: String! columns: [String!]! rows: [[String!]!]! next: String }
  type Query { sleep(for: Int = 0): String! file(pages: Int!, each: Int!, after: String): Page! }
  type Mutation { take(files: [ID!], for: Int = 0): String! }
`;
/** Signals by the duration of their operation, and sizes of files by their names. */
const signals = new Map<number, AbortSignal | undefined>();
const kept = new Map<string, number>();
const discarded: string[] = [];
const sleep = async ({ for: milliseconds }: { for: number }, { signal }: RequestContext) => {
  signals.set(milliseconds, signal);
  // It ignores the signal, because the response must not depend on it.
  await wait(milliseconds, undefined, { ref: false });
  return 'slept';
};
const rootValue = {
  sleep,
  take: sleep,
  async file({ pages, each, after }: { pages: number; each: number; after: string | null }) {
    const page = Number(after ?? 1);
    await wait(page === 1 ? 0 : each);
    return { name: 'file.csv', columns: ['page'], rows: [[String(page)]], next: page < pages ? String(page + 1) : null };
  },
};

const sleeps: Row = {
  summary: 'Sleep',
  graphql: 'query ($for: Int) { sleep(for: $for) }',
  example: { query: { for: '1' } },
};
const tables = [
  table(catalog, {
    'POST /sleep': sleeps,
    'GET /file': {
      summary: 'Download',
      graphql:
        'query ($pages: Int!, $each: Int!, $after: String) { file(pages: $pages, each: $each, after: $after) { name columns rows next } }',
      reply: 'file',
      example: { query: { pages: '1', each: '1' } },
    },
    'POST /upload': {
      summary: 'Upload',
      graphql: 'mutation ($files: [ID!], $for: Int) { take(files: $files, for: $for) }',
      files: { count: 3, bytes: 1_000_000, total: 1_000_000, types: ['text/csv'] },
      example: { body: {} },
    },
  }),
  table(integration, { 'GET /sleep': sleeps }),
  table(siteContent, { 'GET /sleep': sleeps }),
];
const files: FileStore = {
  async keep({ name, content }) {
    let bytes = 0;
    for await (const part of content) bytes += part.length;
    await wait(LONG);
    kept.set(name, bytes);
    return name;
  },
  async discard(ids) {
    discarded.push(...ids);
  },
};

async function open(listener: 'main' | 'site') {
  const { prepare } = rootedGateway(typeDefs, rootValue);
  const admit = async () => admitted;
  const schema = buildSchema(typeDefs);
  const fastify = Fastify();
  await fastify.register(restAdapter({ tables, schema, prepare, admit, files, listener, version: '1', timeout: LIMIT }));
  return { fastify, url: await fastify.listen({ host: '127.0.0.1', port: 0 }) };
}
const [main, site] = [await open('main'), await open('site')];
afterAll(() => Promise.all([main.fastify.close(), site.fastify.close()]));

async function ask(url: string, init?: RequestInit) {
  const answer = await fetch(url, init);
  return { status: answer.status, body: await answer.json() };
}
const late = { status: 503, body: { success: false, message: 'Service Unavailable' } };

// Each test waits for timeouts, so they run concurrently.
test.concurrent('an operation that times out returns the documented error and is aborted', async () => {
  const durations = [LATE, LATE + 1, LATE + 2];
  const answers = await Promise.all([
    ask(`${main.url}/api/acme/sleep?for=${durations[0]}`, { method: 'POST' }),
    ask(`${main.url}/api/v1/sleep?for=${durations[1]}`),
    ask(`${site.url}/api/v1/sleep?for=${durations[2]}`),
  ]);
  const { message } = late.body;
  expect(answers).toEqual([
    late,
    { status: 503, body: { error: { message, status: 503 } } },
    { status: 503, body: { ok: false, error: { code: 'UNAVAILABLE', message } } },
  ]);
  expect(durations.map((each) => signals.get(each)?.aborted)).toEqual([true, true, true]);
});

test.concurrent('an operation within the limit returns, and its signal does not abort', async () => {
  expect(await ask(`${main.url}/api/acme/sleep?for=${LONG}`, { method: 'POST' })).toMatchObject({
    status: 200,
    body: { data: 'slept' },
  });
  await wait(LIMIT);
  expect(signals.get(LONG)?.aborted).toBe(false);
});

test.concurrent('each page of a download has its own timeout', async () => {
  const answer = await fetch(`${main.url}/api/acme/file?pages=4&each=${LONG}`);
  expect(await answer.text()).toBe('page\r\n1\r\n2\r\n3\r\n4\r\n');
});

test.concurrent('a page that times out aborts the download', async () => {
  const answer = await fetch(`${main.url}/api/acme/file?pages=2&each=${LATE}`);
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

/** A form upload that is slower than the operation timeout. */
async function* slowly(name: string) {
  const bytes = form(csv('SKU\nA-1\n', name));
  for (let at = 0; at < bytes.length; at += 60) {
    yield bytes.subarray(at, at + 60);
    await wait(LONG);
  }
}
async function upload(name: string, milliseconds: number) {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const body = Readable.from(slowly(name));
  const answer = await request(`${main.url}/api/acme/upload?for=${milliseconds}`, { method: 'POST', headers, body });
  return { status: answer.statusCode, body: await answer.body.json() };
}

test.concurrent('the timeout excludes receiving and storing an upload', async () => {
  expect(await upload('stored.csv', LONG + 1)).toMatchObject({ status: 200, body: { data: 'slept' } });
  expect(kept.get('stored.csv')).toBe(8);
});

test.concurrent('the operation of an upload has the timeout for each file', async () => {
  const body = new FormData();
  for (const name of ['a.csv', 'b.csv', 'c.csv']) body.append('files', new Blob(['SKU'], { type: 'text/csv' }), name);
  const answer = await ask(`${main.url}/api/acme/upload?for=${2 * LIMIT}`, { method: 'POST', body });
  expect(answer).toMatchObject({ status: 200, body: { data: 'slept' } });
});

test.concurrent('the operation of an upload times out, and its files are removed', async () => {
  expect(await upload('late.csv', LATE + 3)).toEqual(late);
  expect(discarded).toContain('late.csv');
});
