import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { checkConfiguration, readConfiguration, serve } from 'compiled-gateway/serve';
import { subgraph } from '../support/federation.ts';
import { stack, subgraphsOf } from './served.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'configuration-'));
  stack.defer(() => rm(folder, { recursive: true }));
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const supergraph = { source: 'supergraph.graphql' };
const issuers = [{ jwks: 'https://login.example/keys' }];

test.each<[string, unknown, RegExp]>([
  ['an unknown setting', { supergraph, metric: {} }, /has no setting "metric"\. Did you mean "metrics"\?/],
  ['an unknown setting of a section', { supergraph, server: { prot: 1 } }, /server has no setting "prot"/],
  ['a wrong type', { supergraph, server: { port: '4000' } }, /server\.port: .*number/],
  ['no supergraph', {}, /supergraph\.source is missing/],
  [
    'a registry that is no address',
    { registry: { database: 'mysql://u:secret@host/db' } },
    /registry\.database: must be an address such as postgres/,
  ],
  [
    'a schema of PostgreSQL',
    { registry: { database: 'postgres://host/db?schema=pg_catalog' } },
    /registry\.database: names a schema/,
  ],
  [
    'a header with a line break',
    { supergraph, defaults: { headers: { set: { 'x-a': 'b\r\nc: d' } } } },
    /headers\.set\.x-a: must be the value of a header/,
  ],
  ['a name that is no header', { supergraph, defaults: { headers: { forward: ['x a'] } } }, /must be the name of a header/],
  ['keys over plain http', { supergraph, jwt: { issuers: [{ jwks: 'http://login.example/keys' }] } }, /must be an https address/],
  [
    'unsigned tokens',
    { supergraph, jwt: { issuers: [{ ...issuers[0], algorithms: ['none'] }] } },
    /jwt\.issuers\.0\.algorithms\.0/,
  ],
  [
    'a shared secret',
    { supergraph, jwt: { issuers: [{ ...issuers[0], algorithms: ['HS256'] }] } },
    /jwt\.issuers\.0\.algorithms\.0/,
  ],
  [
    'claims without tokens',
    { supergraph, defaults: { headers: { claims: { sub: 'x-user' } } } },
    /defaults\.headers\.claims needs jwt/,
  ],
  [
    'a claim that callers could forge',
    { supergraph, jwt: { issuers }, defaults: { headers: { forward: ['X-User'], claims: { sub: 'x-user' } } } },
    /callers could forge x-user/,
  ],
  ['a safelist without documents', { supergraph, documents: { safelist: true } }, /documents\.safelist needs documents\.manifests/],
])('%s is a fault that says what to do', (_, given, says) => {
  expect(() => checkConfiguration(given)).toThrow(says);
});

test('all faults are reported together', () => {
  expect(() => checkConfiguration({ supergraph, server: { port: -1, path: 'graphql' } })).toThrow(
    /server\.port[\s\S]*server\.path/,
  );
});

test('a file is YAML or JSON, with paths from its folder and variables of the environment', async () => {
  process.env.GATEWAY_TEST_KEY = 'k: [1]';
  const yaml = await file('gateway.yaml', `supergraph:\n  source: ./graph.graphql\n  headers: { x-key: "\${GATEWAY_TEST_KEY}" }\n`);
  expect(await readConfiguration(yaml)).toMatchObject({
    supergraph: { source: join(folder, 'graph.graphql'), headers: { 'x-key': 'k: [1]' } },
    server: { port: 4000 },
  });
  const json = await file(
    'gateway.json',
    '{ "supergraph": { "source": "https://registry.example/graph" }, "server": { "port": 1 } }',
  );
  expect(await readConfiguration(json, { port: '5', supergraph: 'here.graphql' })).toMatchObject({
    supergraph: { source: 'here.graphql' },
    server: { port: 5 },
  });
});

test.each<[string, string, RegExp]>([
  ['a missing variable', `supergraph: { source: "\${GATEWAY_TEST_NONE}" }`, /the environment has no GATEWAY_TEST_NONE/],
  ['no YAML', 'supergraph: {', /Flow map|must end/i],
  ['a list', '- a', /must have settings by name/],
])('a file with %s is refused', async (_, text, says) => {
  await expect(readConfiguration(await file('wrong.yaml', text))).rejects.toThrow(says);
});

test.each<[string, object, RegExp]>([
  ['a supergraph that does not exist', { supergraph: { source: '/nowhere.graphql' } }, /nowhere\.graphql does not exist/],
  [
    'a key file that does not exist',
    { jwt: { issuers: [{ jwks: { file: '/nowhere.json' } }] } },
    /jwt\.issuers\.0\.jwks: .*nowhere/,
  ],
  [
    'settings of an unknown subgraph',
    { subgraphs: { pets: {} } },
    /subgraphs\.pets is no subgraph of the supergraph, which has notes/,
  ],
  ['a manifest that does not exist', { documents: { manifests: ['/nowhere.json'] } }, /documents\.manifests: \/nowhere\.json/],
])('%s is a fault at the start', async (_, given, says) => {
  const { supergraph: sdl } = await subgraphsOf([subgraph('notes', 'type Query { note: String }')]);
  const source = await file('notes.graphql', sdl);
  await expect(serve({ supergraph: { source }, log: { level: 'silent' }, ...given, server: { port: 0 } })).rejects.toThrow(says);
});

describe('the command', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const start = (...args: string[]) =>
    spawn(process.execPath, ['--import', './start/typescript.mjs', 'gateway/cli/cli.ts', ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const run = async (...args: string[]) => {
    const child = start(...args);
    const text = { out: '', err: '' };
    child.stdout.on('data', (part) => (text.out += part));
    child.stderr.on('data', (part) => (text.err += part));
    const [code] = await once(child, 'close');
    return { code, ...text };
  };

  test('serves a supergraph until it is stopped', async () => {
    const { supergraph: sdl } = await subgraphsOf([
      subgraph('notes', 'type Query { note: String }', { Query: { note: () => 'n' } }),
    ]);
    const child = start('serve', '--supergraph', await file('notes.graphql', sdl), '--port', '0');
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ note }"}',
    });
    expect(await response.json()).toEqual({ data: { note: 'n' } });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  }, 30_000);

  test('does not say that it listens when the port of its metrics is taken', async () => {
    const { supergraph: sdl, servers } = await subgraphsOf([subgraph('notes', 'type Query { note: String }')]);
    const source = await file('metered.graphql', sdl);
    const port = Number(new URL(servers.notes!.url).port);
    const settings = { supergraph: { source }, server: { port: 0 }, metrics: { port } };
    const { code, err } = await run('serve', '--config', await file('metered.json', JSON.stringify(settings)));
    expect(code).toBe(1);
    expect(err).toContain('EADDRINUSE');
    expect(err).not.toContain('listening');
  }, 30_000);

  test('checks a configuration, prints its schema, and explains itself', async () => {
    const wrong = await file('wrong.yaml', 'supergraph: { source: a.graphql }\nprot: 1\n');
    const open = await file(
      'open.yaml',
      'supergraph: { source: a.graphql }\njwt: { issuers: [{ jwks: https://login.example/keys }] }\n',
    );
    const [checked, warned, schema, nothing] = await Promise.all([
      run('check-config', '--config', wrong),
      run('check-config', '--config', open),
      run('config-schema'),
      run(),
    ]);
    expect(warned).toMatchObject({
      code: 0,
      out: expect.stringMatching(/valid\.\njwt\.issuers\.0 has no audience.*\njwt\.issuers\.0 has no issuer/),
    });
    expect(checked).toMatchObject({ code: 1, out: '' });
    expect(checked.err).toMatch(/^The configuration has no setting "prot"/);
    expect(JSON.parse(schema.out)).toMatchObject({
      type: 'object',
      properties: { server: { type: 'object' }, registry: { type: 'object', required: ['database'] } },
    });
    expect(nothing).toMatchObject({ code: 2, out: expect.stringContaining('serve a supergraph') });
  }, 60_000);
});
