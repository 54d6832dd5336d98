import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../start/servers/folders.ts';
import { lastLines, run } from '../../start/servers/processes.ts';

const VERSION = '4.32.5';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/** Only sent to the owner of the key; other callers have no rate-limit headers. */
const ORGANIZATION = 'openapi-check';

export interface Target {
  url: string;
  siteUrl: string;
  databaseUrl: string;
}

/**
 * Check the running system against its OpenAPI documents with requests from Schemathesis: no 5xx, no undocumented status,
 * and every body valid against its schema. Returns undefined without Python.
 */
export async function checkOpenApi(
  { url, siteUrl, databaseUrl }: Target,
  note: (text: string) => void,
): Promise<boolean | undefined> {
  const program = await installed(note);
  if (!program) return undefined;
  const key = await makeKey(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'catalog-graph-openapi-'));
  try {
    const config = join(folder, 'schemathesis.toml');
    await writeFile(config, configuration(key));
    let passed = true;
    for (const [document, seconds] of [
      [`${url}/openapi.json`, 90],
      [`${siteUrl}/openapi.json`, 30],
    ] as const) {
      const { code, output } = await run(program, ['--config-file', config, 'run', document, ...limits(seconds)], {
        cwd: folder,
        timeoutMs: 300_000,
      });
      if (code === 0) continue;
      note(output);
      passed = false;
    }
    return passed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One worker: CPython 3.11 loses count of its recursion when two threads build syntax trees. */
const limits = (seconds: number) => [
  '--no-color',
  ...['--checks', CHECKS.join(',')],
  ...['--max-time', String(seconds), '--max-examples', '10', '--workers', '1'],
  ...['--seed', '1', '--generation-deterministic', '--no-shrink'],
  ...['--warnings', 'off', '--request-timeout', '20'],
];

/** Undocumented methods get 405 from the fallback, which the documents do not describe. */
const configuration = (key: string) => `
headers = { "x-api-key" = "${key}", Authorization = "Bearer ${key}" }

[parameters]
"path.organization" = "${ORGANIZATION}"

[phases.coverage]
unexpected-methods = []
`;

/** Install Schemathesis on first use into a virtual environment in the cache folder. */
async function installed(note: (text: string) => void): Promise<string | undefined> {
  const environment = join(cacheFolder(), `schemathesis-${VERSION}`);
  const program = join(environment, 'bin', 'schemathesis');
  if (await exists(join(environment, 'complete'))) return program;
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', '--clear', environment],
    [join(environment, 'bin', 'pip'), 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`],
  ] as [string, ...string[]][]) {
    const { code, output } = await run(command, args, { timeoutMs: 300_000 });
    if (code === 0) continue;
    note(`skipped  openapi: Schemathesis could not be installed (${lastLines(output, 1)})`);
    return undefined;
  }
  await writeFile(join(environment, 'complete'), '');
  return program;
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function makeKey(databaseUrl: string): Promise<string> {
  const args = [
    'start/key.ts',
    '--org',
    ORGANIZATION,
    '--user',
    'openapi@example.com',
    '--plan',
    'enterprise',
    '--credits',
    '100000',
  ];
  const { code, output } = await run(process.execPath, ['--import', './start/typescript.mjs', ...args], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' },
  });
  if (code !== 0) throw new Error(`No key could be made: ${lastLines(output)}`);
  return output.trim();
}
