import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, realpathSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildBundle, bundleFolder } from '../../start/bundle.ts';
import { freePort } from '../../start/servers/ports.ts';
import { commandsOf, stages, wordsOf } from '../deploy/dockerfile.ts';
import { caller } from '../support/client.ts';
import { createDatabase } from '../support/database.ts';
import { environmentOf } from '../support/environment.ts';
import { npm, root } from '../support/npm.ts';
import { startProcess } from '../support/processes.ts';
import { seedOrganization } from '../support/seed.ts';

let folder: string;
let database: Awaited<ReturnType<typeof createDatabase>>;

const SECRET = 'known-to-the-processes-only';

describe('the content of the image', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-graph-production-'));
    await buildBundle();
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
    for (const file of tracked.filter((each) => each && existsSync(join(root, each)))) cpSync(join(root, file), join(folder, file));
    for (const step of commandsOf('product')) {
      // The stage copies the bundles of the first stage before this step.
      if (step === 'npm run warm') cpSync(bundleFolder, join(folder, 'dist'), { recursive: true });
      await runStep(step);
    }
    await ownByNobody();
    database = await createDatabase();
  });
  afterAll(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  test('gateway, subgraph and worker run in a read-only folder as another user, and answer', async () => {
    const { key, slug } = await seedOrganization({ databaseUrl: database.url });
    const env = environmentOf({
      databaseUrl: database.url,
      provider: 'http://127.0.0.1:1/v1',
      env: { SUBGRAPH_SECRET: SECRET, HEALTH_PORT: String(await freePort()) },
    });
    for (const [name, ...args] of [['gateway'], ['subgraph', 'catalog']] as const) {
      const { addresses, stop } = await start(env, name, ...args);
      const query = { query: '{ organization { slug } }' };
      const { body } = await caller(key, addresses).post('/graphql', query, { 'x-subgraph-secret': SECRET });
      expect(body).toEqual({ data: { organization: { slug } } });
      await stop();
    }
    const worker = await start(env, 'worker');
    const readiness = await fetch(`http://127.0.0.1:${env.HEALTH_PORT}/readyz`);
    expect(await readiness.json()).toEqual({ status: 'ready' });
    await worker.stop();
    expect(readdirSync(join(folder, 'node_modules/.cache/workflows'))).toHaveLength(1);
    for (const absent of ['node_modules/typescript', 'tests', 'docs'])
      expect([absent, existsSync(join(folder, absent))]).toEqual([absent, false]);
  });
});

/** Run a step of the image's build stage. */
async function runStep(step: string): Promise<void> {
  if (step.startsWith('npm ci ')) await installLike(step);
  else if (step.startsWith('npm ')) await npm(folder, ...step.split(' ').slice(1), '--loglevel=error');
  else execFileSync('sh', ['-c', step], { cwd: folder });
}

/** Copy the packages that the step installs from this repository, which is less work than an installation. */
async function installLike(step: string): Promise<void> {
  const run = (command: string, cwd = folder) => execFileSync('sh', ['-c', command], { cwd });
  const packages = JSON.stringify(join(folder, 'node_modules'));
  // Hard links are faster than copies, but do not work across file systems. The caches may change during the copy.
  const copy = (options: string) => `cp ${options} * .bin .package-lock.json ${packages}`;
  run(`mkdir ${packages} && { ${copy('-al')} || ${copy('-af')}; }`, realpathSync(join(root, 'node_modules')));
  await npm(folder, 'prune', ...step.split(' ').slice(2), '--loglevel=error');
  // The test changes the permissions of files, which must not be those of the repository.
  run('cp -a node_modules own && rm -rf node_modules && mv own node_modules');
}

/** As in the image, the files belong to root, and the processes run as another user. Only root can test it. */
const account = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {};
async function ownByNobody(): Promise<void> {
  await chmod(folder, 0o755);
  execFileSync('chmod', ['-R', 'a+rX,a-w', folder]);
}

/** Start a process by the entry point of the image. */
function start(env: Record<string, string>, name: string, ...args: string[]) {
  const [node, ...entry] = wordsOf(
    stages()
      .at(-1)!
      .instructions.find(({ name }) => name === 'ENTRYPOINT')!,
  );
  const command = [node!.replace('/app', folder), ...entry];
  // The user of the image has no home folder.
  return startProcess(`dist/${name}.mjs`, args, { ...env, HOME: '/home/app' }, { sources: folder, command, account });
}
