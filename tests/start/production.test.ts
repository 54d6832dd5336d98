import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsOf, stages, wordsOf } from '../deploy/dockerfile.ts';
import { createDatabase } from '../support/database.ts';
import { hasRegistry, npm, root } from '../support/npm.ts';
import { environmentOf } from '../support/system.ts';

let folder: string;
let database: Awaited<ReturnType<typeof createDatabase>>;

const bundles = join('node_modules', '.cache', 'bundle');
const withRegistry = hasRegistry() ? describe : describe.skip;

withRegistry('the content of the image', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-graph-production-'));
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
    for (const file of tracked.filter((each) => each && existsSync(join(root, each)))) cpSync(join(root, file), join(folder, file));
    for (const step of commandsOf('product')) {
      // The stage copies the bundles of the first stage before this step.
      if (step === 'npm run warm') cpSync(join(root, bundles), join(folder, bundles), { recursive: true });
      await runStep(step);
    }
    await ownByNobody();
    database = await createDatabase();
  }, 300_000);
  afterAll(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  test('gateway and worker become ready in a read-only folder as another user, and a subgraph names the configuration that it misses', async () => {
    const env = {
      ...environmentOf({
        databaseUrl: database.url,
        provider: 'http://127.0.0.1:1/v1',
      }),
      SHUTDOWN_DELAY: '0',
    };
    for (const name of ['gateway', 'worker']) await outputUntil('is ready', `start/${name}.ts`, env);
    const subgraph = await outputUntil('DATABASE_URL is required', 'start/subgraph.ts', {}, 'catalog');
    expect(subgraph).toContain('SUBGRAPH_SECRET is required');
    expect(readdirSync(join(folder, 'node_modules/.cache/workflows'))).toHaveLength(1);
    const { bundleOf }: typeof import('../../start/bundle/current.mjs') = await import(join(folder, 'start/bundle/current.mjs'));
    for (const name of ['gateway', 'worker', 'subgraph']) expect(bundleOf(`start/${name}.ts`)).toBeDefined();
    for (const absent of ['node_modules/typescript', 'tests', 'docs'])
      expect([absent, existsSync(join(folder, absent))]).toEqual([absent, false]);
  }, 300_000);
});

/** Run a step of the image's build stage. Packages come from npm's cache where possible. */
async function runStep(step: string): Promise<void> {
  if (step.startsWith('npm ')) await npm(folder, ...step.split(' ').slice(1), '--prefer-offline', '--loglevel=error');
  else execFileSync('sh', ['-c', step], { cwd: folder });
}

/** As in the image, the files belong to root, and the processes run as another user. Only root can test it. */
const account = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {};
async function ownByNobody(): Promise<void> {
  await chmod(folder, 0o755);
  execFileSync('chmod', ['-R', 'a+rX,a-w', folder]);
}

/** Run a script by the entry point of the image until it writes the text, and end it. Rejects with its output when it ends before. */
async function outputUntil(text: string, script: string, env: Record<string, string>, ...args: string[]): Promise<string> {
  const [node, ...entry] = wordsOf(
    stages()
      .at(-1)!
      .instructions.find(({ name }) => name === 'ENTRYPOINT')!,
  );
  const child = spawn(node!.replace('/app', folder), [...entry, script, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH!, ...env },
    ...account,
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
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}:\n${output}`)));
  });
  child.kill('SIGTERM');
  await exit;
  return output;
}
