import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, type Name, readEnvironment } from '../../schema/environment.ts';
import { readTls } from '../../server/config.ts';
import { startProcess } from '../support/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-graph-configuration-'));
afterAll(() => rmSync(folder, { recursive: true }));

function faultsOf(values: Partial<Record<Name, string>>, required: Name[] = []): string[] {
  try {
    readEnvironment(Object.keys(values) as Name[], required, values);
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults;
  }
}

describe('The environment', () => {
  test('is read completely, and all faults are reported together', () => {
    expect(
      faultsOf({ PORT: 'abc', TRUST_PROXY: 'perhaps', DATABASE_URL: '', SECRETS_KEY: ' ' }, ['DATABASE_URL', 'SECRETS_KEY']),
    ).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'TRUST_PROXY must be true or false',
      'DATABASE_URL is required',
      'SECRETS_KEY is required',
    ]);
  });

  test('has no malformed addresses, and the fault does not repeat a password', () => {
    const form = 'must be a URL like postgres://host:5432/database';
    for (const value of ['postgres', 'postgres://host', 'mysql://a:b@host/db', 'postgres://a:p#w@host/db'])
      expect([value, faultsOf({ DATABASE_URL: value })]).toEqual([value, [`DATABASE_URL ${form}`]]);
    for (const value of ['postgres://a:p%23w@host/db?sslmode=verify-full', 'postgresql://host:5432/db', 'postgres:///db?host=/tmp'])
      expect([value, faultsOf({ DATABASE_URL: value })]).toEqual([value, []]);
    for (const name of ['PUBLIC_URL', 'OPENAI_BASE_URL', 'CATALOG_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const)
      expect(faultsOf({ [name]: 'localhost:4000' })).toEqual([`${name} must be a URL that begins with http:// or https://`]);
  });

  test.each<[Partial<Record<Name, string>>, string[]]>([
    [{ TLS_CERT: 'a.pem', TLS_KEY: '' }, ['TLS_CERT needs TLS_KEY']],
    [{ TLS_CERT: '', TLS_KEY: 'a.pem' }, ['TLS_KEY needs TLS_CERT']],
    [{ GRAPHQL_SAFELIST: 'true', TRUSTED_DOCUMENTS: ' , ' }, ['GRAPHQL_SAFELIST needs TRUSTED_DOCUMENTS']],
    [
      { S3_BUCKET: 'files', S3_ACCESS_KEY_ID: '', S3_SECRET_ACCESS_KEY: '' },
      ['S3_BUCKET needs S3_ACCESS_KEY_ID', 'S3_BUCKET needs S3_SECRET_ACCESS_KEY'],
    ],
    [{ OPENAI_BASE_URL: 'http://127.0.0.1:1', OPENAI_API_KEY: '' }, ['OPENAI_BASE_URL needs OPENAI_API_KEY']],
    [{ CATALOG_URL: 'http://127.0.0.1:1', SUBGRAPH_SECRET: '' }, ['CATALOG_URL needs SUBGRAPH_SECRET']],
    [{ PORT: '4000', SITE_PORT: '4000', METRICS_PORT: '9464' }, ['PORT and SITE_PORT must be different ports']],
    [{ PORT: '0', SITE_PORT: '0' }, []],
  ])('%j has the contradictions %j', (values, faults) => {
    expect(faultsOf(values)).toEqual(faults);
  });

  test('may contradict variables that the process does not read', () => {
    expect(faultsOf({ OPENAI_BASE_URL: 'http://127.0.0.1:1' })).toEqual([]);
  });
});

test('a certificate with the wrong key is a fault', async () => {
  const make = (name: string) => {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)] as [string, string];
    const wish = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=${name} -keyout ${key} -out ${cert}`;
    execFileSync('openssl', wish.split(' '), { stdio: 'ignore' });
    return { key, cert };
  };
  const [one, other] = [make('one'), make('other')];
  await expect(readTls({ TLS_CERT: one.cert, TLS_KEY: one.key })).resolves.toMatchObject({ cert: expect.any(Buffer) });
  await expect(readTls({ TLS_CERT: one.cert, TLS_KEY: other.key })).rejects.toThrow(/must be a PEM certificate and its key/);
  await expect(readTls({ TLS_CERT: join(folder, 'no.pem'), TLS_KEY: join(folder, 'no.key') })).rejects.toThrow(
    /TLS_CERT cannot be read.*TLS_KEY cannot be read/s,
  );
});

describe('All configuration faults are reported together', () => {
  const faulty = async (script: string, args: string[], env: Record<string, string>) => {
    const error = await startProcess(script, args, env).then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
    return error?.split('\n').filter((line) => line.startsWith('  '));
  };

  test('by a gateway, including faults of files', async () => {
    const manifest = join(folder, 'manifest.json');
    writeFileSync(manifest, 'none');
    const env = { PORT: 'abc', DATABASE_URL: '', SECRETS_KEY: '', OTEL_TRACES_SAMPLE: '200', TRUSTED_DOCUMENTS: manifest };
    const headers = { FORWARD_HEADERS: 'x-tenant, X-Client-Address' };
    const files = { TLS_CERT: join(folder, 'no.pem'), TLS_KEY: join(folder, 'no.key'), SUBGRAPH_URLS: 'other=http://127.0.0.1:1' };
    expect(await faulty('start/gateway.ts', [], { ...env, ...headers, ...files })).toEqual(
      [
        /^ {2}PORT must be a whole number/,
        /^ {2}FORWARD_HEADERS must not contain x-client-address/,
        /^ {2}OTEL_TRACES_SAMPLE must be a whole number/,
        /^ {2}TRUSTED_DOCUMENTS: .*manifest.json/,
        /^ {2}TLS_CERT cannot be read/,
        /^ {2}TLS_KEY cannot be read/,
        /^ {2}SUBGRAPH_URLS names other/,
        /^ {2}DATABASE_URL is required/,
        /^ {2}SECRETS_KEY is required/,
      ].map((line) => expect.stringMatching(line)),
    );
  });

  test('by a gateway without in-process subgraphs, which needs no database', async () => {
    const apart = { CATALOG_URL: 'http://127.0.0.1:1', AGENT_URL: 'http://127.0.0.1:1', SITE_CONTENT_URL: 'http://127.0.0.1:1' };
    expect(await faulty('start/gateway.ts', [], apart)).toEqual(
      ['CATALOG_URL', 'AGENT_URL', 'SITE_CONTENT_URL'].map((name) => `  ${name} needs SUBGRAPH_SECRET`),
    );
  });

  test('by a subgraph', async () => {
    expect(await faulty('start/subgraph.ts', ['nonsense'], { PORT: '-1' })).toEqual([
      expect.stringContaining('name one of catalog'),
      expect.stringContaining('PORT must be a whole number'),
      '  SUBGRAPH_SECRET is required',
      '  DATABASE_URL is required',
      '  SECRETS_KEY is required',
    ]);
  });

  test('by a worker', async () => {
    expect(await faulty('start/worker.ts', [], { WORKER_CONCURRENCY: '0', S3_BUCKET: 'files' })).toEqual([
      expect.stringContaining('WORKER_CONCURRENCY must be a whole number'),
      '  TEMPORAL_ADDRESS is required',
      '  OPENAI_API_KEY is required',
      '  DATABASE_URL is required',
      '  SECRETS_KEY is required',
      '  S3_BUCKET needs S3_ACCESS_KEY_ID',
      '  S3_BUCKET needs S3_SECRET_ACCESS_KEY',
    ]);
  });
});

test.each([
  ['--help', 0, /^npm start runs the whole product/],
  ['--port=1', 2, /^npm start has no option --port=1\.\n\nnpm start runs/],
])('npm start %s starts nothing and says how to set what', (argument, status, says) => {
  const started = spawnSync(process.execPath, ['--import', './start/typescript.mjs', 'start/main.ts', argument], {
    encoding: 'utf8',
  });
  expect([started.status, started.stderr]).toEqual([status, expect.stringMatching(says)]);
});
