import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../support/database.ts';
import { hasRegistry, npm, root } from '../support/npm.ts';
import { environmentOf } from '../support/system.ts';

let folder: string;
let database: Awaited<ReturnType<typeof createDatabase>>;

const withRegistry = hasRegistry() ? describe : describe.skip;

withRegistry('without development dependencies', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-graph-production-'));
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
    for (const file of tracked.filter((each) => each && existsSync(join(root, each)))) cpSync(join(root, file), join(folder, file));
    await npm(folder, 'ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error');
    database = await createDatabase();
  }, 300_000);
  afterAll(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  test('gateway and worker become ready, and a subgraph names the configuration that it misses', async () => {
    const env = {
      ...environmentOf({
        databaseUrl: database.url,
        provider: 'http://127.0.0.1:1/v1',
      }),
      SHUTDOWN_DELAY: '0',
    };
    for (const name of ['gateway', 'worker']) expect(await outputUntil('is ready', name, env)).not.toContain('Installing');
    const subgraph = await outputUntil('DATABASE_URL is required', 'subgraph', {}, 'catalog');
    expect(subgraph).toContain('SUBGRAPH_SECRET is required');
    expect(existsSync(join(folder, 'node_modules', 'typescript'))).toBe(false);
  }, 300_000);
});

/** Run `npm run start:<name>` as npm does until it writes the text, and end it. Rejects with its output when it ends before. */
async function outputUntil(text: string, name: string, env: Record<string, string>, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['start/bootstrap.mjs', `start/${name}.ts`, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (part: string) => {
      output += part;
      if (output.includes(text)) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}:\n${output}`)));
  });
  child.kill('SIGTERM');
  await exit;
  return output;
}
