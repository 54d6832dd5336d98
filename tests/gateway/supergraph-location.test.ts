import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followSupergraph } from '../../gateway/supergraph/location.ts';
import { supergraphAt } from '../../gateway/supergraph/supergraph-at.ts';
import { readSupergraph } from '../../start/gateway/supergraph.ts';
import { listen } from '../support/listen.ts';
import { until } from '../support/until.ts';
import { runFederation } from './support/running-federation.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supergraph-'));
});
afterAll(() => rm(folder, { recursive: true }));

const setting = (SUPERGRAPH: string) => ({ SUPERGRAPH, SUPERGRAPH_HEADERS: {} });
const fileWith = async (name: string, text: string) => {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
};

/** A registry that serves `text` with an ETag, or only a status. */
async function registry() {
  const state = { text: 'one', status: 200, seen: [] as IncomingMessage['headers'][], statuses: [] as number[] };
  const server = createServer(({ headers }, response) => {
    state.seen.push(headers);
    const etag = `"${state.text}"`;
    const status = state.status !== 200 ? state.status : headers['if-none-match'] === etag ? 304 : 200;
    state.statuses.push(status);
    response.writeHead(status, { etag }).end(status === 200 ? state.text : undefined);
  });
  const port = await listen(server);
  return {
    state,
    url: `http://127.0.0.1:${port}/supergraph?key=secret`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('an unreadable supergraph is reported with the reason', () => {
  test('a missing file', async () => {
    const file = join(folder, 'missing.graphql');
    await expect(readSupergraph(setting(file))).rejects.toThrow(`SUPERGRAPH: ${file} does not exist`);
  });

  test('a folder', async () => {
    await expect(readSupergraph(setting(folder))).rejects.toThrow(`SUPERGRAPH: ${folder} is a directory`);
  });

  // Root may read everything.
  (process.getuid?.() === 0 ? test.skip : test)('a file without permission', async () => {
    const file = await fileWith('secret.graphql', 'type Query { a: Int }');
    await chmod(file, 0o000);
    await expect(readSupergraph(setting(file))).rejects.toThrow(`SUPERGRAPH: ${file} cannot be read: permission denied`);
  });

  test.each([
    ['an empty file', '', 'is empty'],
    ['text', 'hello\n world }', /is not GraphQL: Syntax Error: .* in line 1, column 1/],
    ['a subgraph', 'type Query { a: Int }', 'is not a composed supergraph: it has no enum join__Graph'],
  ])('%s', async (name, text, reason) => {
    const file = await fileWith(`${name}.graphql`, text);
    const read = readSupergraph(setting(file));
    await expect(read).rejects.toThrow(`SUPERGRAPH: ${file} `);
    await expect(read).rejects.toThrow(reason);
  });

  test('a supergraph of an unknown version', async () => {
    const text = `schema @link(url: "https://specs.apollo.dev/link/v1.0") @link(url: "https://specs.apollo.dev/join/v99.0", for: EXECUTION)
      { query: Query } type Query { a: Int } enum join__Graph { A @join__graph(name: "a", url: "http://127.0.0.1:1/") }`;
    const file = await fileWith('future.graphql', text);
    const starting = await readSupergraph(setting(file));
    await expect(runFederation(starting)).rejects.toThrow(`SUPERGRAPH: ${file} cannot be served: `);
  });

  test('a URL that returns an error, and one that does not respond', async () => {
    const { state, url, close } = await registry();
    state.status = 403;
    const shown = url.split('?')[0];
    await expect(readSupergraph(setting(url))).rejects.toThrow(`SUPERGRAPH: ${shown} cannot be read: the server answered 403`);
    await close();
    await expect(readSupergraph(setting(url))).rejects.toThrow(`SUPERGRAPH: ${shown} cannot be reached`);
  });

  test('plain http to another machine', async () => {
    await expect(readSupergraph(setting('http://registry.example/supergraph'))).rejects.toThrow(
      'SUPERGRAPH must be an https address, or http on this machine',
    );
  });
});

/** Follow a location and log the outcomes. A text with `bad` is an invalid supergraph. */
function follow(location: string, pollInterval?: number) {
  const log: string[] = [];
  const place = supergraphAt(location, { pollInterval, headers: { 'x-registry-key': 'k' } });
  const stop = followSupergraph({
    location: place,
    async replace(text) {
      if (text.includes('bad')) throw new Error('It does not build');
      log.push(text);
    },
    onOutcome: (outcome, error) => log.push(error ? `${outcome}: ${error.message}` : outcome),
  });
  return { log, place, stop };
}

test('a file is followed when it is replaced, invalid or removed', async () => {
  const file = await fileWith('followed.graphql', 'one');
  const { log, place, stop } = follow(file);
  expect(await place.read()).toBe('one');
  await writeFile(file, 'two');
  await until(() => log.length === 2);
  await rename(await fileWith('next.graphql', 'bad'), file);
  await until(() => log.length === 3);
  await rm(file);
  await until(() => log.length === 4);
  await writeFile(file, 'three');
  await until(() => log.length === 6);
  await stop();
  expect(log).toEqual(['two', 'applied', 'refused: It does not build', 'unreadable: does not exist', 'three', 'applied']);
});

test('a URL is polled with its ETag', async () => {
  const { state, url, close } = await registry();
  const { log, place, stop } = follow(url, 500);
  expect(await place.read()).toBe('one');
  await until(() => state.statuses.length >= 4);
  expect(state.statuses.slice(0, 4)).toEqual([200, 304, 304, 304]);
  expect(state.seen[1]).toMatchObject({ 'x-registry-key': 'k', 'if-none-match': '"one"' });
  expect(log).toEqual([]);

  state.text = 'two';
  await until(() => log.length === 2);
  state.status = 500;
  await until(() => log.length === 3);
  state.status = 200;
  await until(() => log.length === 4);
  await stop();
  await close();
  expect(log).toEqual(['two', 'applied', 'unreadable: cannot be read: the server answered 500', 'recovered']);
});
