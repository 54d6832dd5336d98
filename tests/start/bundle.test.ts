import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { locatePaths } from '../../start/bundle/paths.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-graph-bundle-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A repository with one process that says where it came from, and its bundle. */
async function repository() {
  await cp(join(root, 'start', 'bundle', 'current.mjs'), join(folder, 'start', 'bundle', 'current.mjs'));
  for (const name of ['package-lock.json', '.swcrc', 'start/gateway.ts']) await writeFile(join(folder, name), 'first');
  const current: typeof import('../../start/bundle/current.mjs') = await import(join(folder, 'start', 'bundle', 'current.mjs'));
  await mkdir(join(current.folder, 'x'), { recursive: true });
  await writeFile(join(current.folder, 'x', 'gateway.mjs'), '');
  const publish = (sources: string[]) =>
    writeFile(
      current.manifestFile,
      JSON.stringify({ fingerprint: current.fingerprintOf(sources), sources, entries: { 'start/gateway.ts': 'x/gateway.mjs' } }),
    );
  return { ...current, publish };
}

test.each(['package-lock.json', '.swcrc', 'start/gateway.ts'])(
  'a change of %s makes the bundle stale until it is built again',
  async (name) => {
    const { bundleOf, publish, folder: bundles } = await repository();
    expect(bundleOf('start/gateway.ts')).toBeUndefined();
    await publish(['start/gateway.ts']);
    expect(bundleOf('start/gateway.ts')).toBe(join(bundles, 'x', 'gateway.mjs'));
    expect(bundleOf('start/worker.ts')).toBeUndefined();

    await writeFile(join(folder, name), 'second');
    expect(bundleOf('start/gateway.ts')).toBeUndefined();
    await publish(['start/gateway.ts']);
    expect(bundleOf('start/gateway.ts')).toBeDefined();
    await rm(join(folder, name));
    expect(bundleOf('start/gateway.ts')).toBeUndefined();
  },
);

test('a manifest without its bundle is ignored', async () => {
  const { bundleOf, publish, folder: bundles } = await repository();
  await publish(['start/gateway.ts']);
  await rm(join(bundles, 'x'), { recursive: true });
  expect(bundleOf('start/gateway.ts')).toBeUndefined();
});

test('a truncated manifest is ignored', async () => {
  const { bundleOf, manifestFile } = await repository();
  await writeFile(manifestFile, '{"fingerprint": "a", "sour');
  expect(bundleOf('start/gateway.ts')).toBeUndefined();
});

test('a bundled module finds its files where its source is', () => {
  Object.assign(globalThis, { sourceRoot: '/app' });
  const located = (code: string) => new Function(`return ${locatePaths(code, 'subgraphs/agent/x.ts')}`)();
  expect(located('import.meta.dirname')).toBe('/app/subgraphs/agent');
  expect(located('import.meta.filename')).toBe('/app/subgraphs/agent/x.ts');
  expect(located('new URL("./y.ts", import.meta.url).href')).toBe('file:///app/subgraphs/agent/y.ts');
  expect(located('[__dirname, __filename].join()')).toBe('/app/subgraphs/agent,/app/subgraphs/agent/x.ts');
});

test('the processes of a test run are bundles', async () => {
  const script = `import { bundleOf } from './start/bundle/current.mjs'; console.log(['gateway', 'worker', 'subgraph'].map((name) => typeof bundleOf('start/' + name + '.ts')).join());`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
  expect(stdout.trim()).toBe('string,string,string');
});
