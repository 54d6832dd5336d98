import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isAlive } from '../../start/servers/processes.ts';
import { environmentOf } from '../support/environment.ts';
import { root } from '../support/npm.ts';
import { until } from '../support/until.ts';
import { descendants } from './descendants.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-graph-bootstrap-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lock = {
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b': { version: '2.0.0', integrity: 'sha512-b', dev: true },
  'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-c', optional: true },
};
type Packages = Record<string, object>;

const write = (file: string, text: string) => writeFileSync(join(folder, file), text);

/** A copy of the project with only the first step of the scripts, which runs this script. */
function copyProject(installed: Packages | undefined, script = 'console.log("ran")') {
  for (const name of ['start', 'bin', 'node_modules/node/bin']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['bootstrap.mjs', 'installation.mjs']) copyFileSync(join(root, 'start', name), join(folder, 'start', name));
  symlinkSync(process.execPath, join(folder, 'node_modules/node/bin/node'));
  write('start/typescript.mjs', '');
  write('script.mjs', script);
  write('package-lock.json', JSON.stringify({ packages: { '': {}, ...lock } }));
  if (installed) write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
}

/** Run a copy of the project with an `npm` that counts its runs and behaves like this shell text. */
function project(installed: Packages | undefined, npm = 'exit 0') {
  copyProject(installed);
  write('bin/npm', `#!/bin/sh\necho "$@" >> "${folder}/npm-runs"\n${npm}\n`);
  chmodSync(join(folder, 'bin/npm'), 0o755);
  const child = spawn(process.execPath, ['start/bootstrap.mjs', 'script.mjs'], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, exit: once(child, 'close').then(([code]) => ({ code, output })) };
}

const npmRuns = () => {
  try {
    return readFileSync(join(folder, 'npm-runs'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
};

test('packages that npm installed by hand are not installed again', async () => {
  const { 'node_modules/other-platform': _, ...installed } = lock;
  expect(await project(installed).exit).toEqual({ code: 0, output: 'ran\n' });
  expect(npmRuns()).toEqual([]);
  expect(readFileSync(join(folder, 'node_modules/.installed-lock'), 'utf8')).toContain('sha512-a');
});

test.each<[string, Packages | undefined]>([
  ['no packages', undefined],
  ['another version', { ...lock, 'node_modules/b': { ...lock['node_modules/b'], version: '1.9.0' } }],
  ['a package less', { 'node_modules/b': lock['node_modules/b'] }],
])('with %s, the packages are installed once', async (_, installed) => {
  const { code, output } = await project(installed).exit;
  expect([code, output]).toEqual([0, expect.stringMatching(/^Installing packages.*\nran\n$/s)]);
  expect(npmRuns()).toHaveLength(1);
});

test('SIGTERM during the installation also ends npm', async () => {
  const { child, exit } = project(undefined, `echo $$ > "${folder}/npm-pid"; exec sleep 60`);
  const pid = () => Number(readFileSync(join(folder, 'npm-pid'), 'utf8'));
  await until(() => npmRuns().length > 0 && pid() > 0);
  child.kill('SIGTERM');
  expect((await exit).code).toBe(1);
  expect(isAlive(pid())).toBe(false);
});

test.each<NodeJS.Signals>(['SIGTERM', 'SIGKILL'])('%s to `npm run` leaves no process', async (signal) => {
  const child = spawn('npm', ['run', '-s', 'start:subgraph', 'agent'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SHUTDOWN_DELAY: '0', SUBGRAPH_SECRET: 'secret', ...environmentOf() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until(() => output.includes('is ready')).catch((error: Error) => {
    for (const pid of [...descendants(child.pid!), child.pid!]) process.kill(pid, 'SIGKILL');
    throw error;
  });
  const pids = descendants(child.pid!);
  expect(pids.length).toBeGreaterThanOrEqual(2);
  child.kill(signal);
  await until(() => pids.every((pid) => !isAlive(pid)));
});

// bash executes the script without a process between npm and it; other shells may stay.
test.each(['/bin/sh', '/bin/bash'])('`npm start` in %s continues when its launcher exits', async (shell) => {
  copyProject(lock, `console.log('ran'); setTimeout(() => console.log('finished'), 2_000);`);
  write('package.json', JSON.stringify({ scripts: { start: 'node start/bootstrap.mjs script.mjs' } }));
  write('output', '');
  const launch = 'nohup npm -s start < /dev/null >> output 2>&1 & until grep -q ran output; do sleep 0.1; done';
  const launcher = spawn('/bin/sh', ['-c', launch], { cwd: folder, env: { ...process.env, npm_config_script_shell: shell } });
  await once(launcher, 'exit');
  await until(() => readFileSync(join(folder, 'output'), 'utf8').includes('finished'));
});
