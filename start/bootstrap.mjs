// Runs before every npm script: installs missing packages, then runs the script on the project's own Node version.
// Needs only Node 20 and npm. It writes to standard error, because standard output belongs to the script.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stamp = join(modules, '.installed-lock');
const installing = join(root, '.installing');
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');

if (needsInstall()) {
  const unlock = lockInstall();
  try {
    // Another process may have installed the packages in the meantime.
    if (needsInstall()) install();
  } finally {
    unlock();
  }
}

const [script, ...args] = process.argv.slice(2);
const bin = join(modules, '.bin');
const node = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const child = spawn(node, ['--import', './start/typescript.mjs', '--disable-warning=ExperimentalWarning', script, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: `${bin}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH}` },
});

// The terminal also sends Ctrl-C to the child, so the parent only waits.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

function needsInstall() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return false;
  const production = installedForProduction();
  return !(production && hasPackages(production));
}

function install() {
  process.stderr.write('Installing packages (first run, or the lock file changed) …\n');
  const omitted = installedForProduction() ? ['--omit=dev'] : [];
  const { status } = spawnSync('npm', ['ci', ...omitted, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // Windows needs a shell because npm is a .cmd file there; the arguments are constants.
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write('npm ci failed. Check that the npm registry can be reached and the disk has room, then try again.\n');
    rmSync(installing, { force: true });
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}

/** Lets one process install at a time: concurrent `npm ci` runs delete each other's packages. Returns the function that unlocks. */
function lockInstall() {
  for (;;) {
    try {
      writeFileSync(installing, String(process.pid), { flag: 'wx' });
      return () => rmSync(installing, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isRunning(holderOf(installing))) breakLock();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  }
}

/** Process id in a lock file; NaN when the lock was released in the meantime. */
function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return Number.NaN;
  }
}

/** Removes the lock of a dead process. The rename lets only one process do so, and never removes a newer lock. */
function breakLock() {
  const broken = `${installing}-${process.pid}`;
  try {
    renameSync(installing, broken);
  } catch {
    return;
  }
  if (isRunning(holderOf(broken))) renameSync(broken, installing);
  else rmSync(broken, { force: true });
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The packages that `npm ci --omit=dev` has installed, by path; undefined after an install with development dependencies. */
function installedForProduction() {
  const file = join(modules, '.package-lock.json');
  if (!existsSync(file)) return undefined;
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.values(packages).some(({ dev }) => dev) ? undefined : packages;
}

/** Whether all packages that production needs are installed in the versions of the lock file. */
function hasPackages(packages) {
  return Object.entries(JSON.parse(lock).packages)
    .filter(([path, { dev, devOptional, optional }]) => path.startsWith('node_modules/') && !dev && !devOptional && !optional)
    .every(([path, { version }]) => path in packages && packages[path].version === version);
}
