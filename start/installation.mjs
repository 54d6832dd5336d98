// Installs the packages of the lock file. Plain JavaScript for Node 20, because it runs before the project's own Node version exists.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const modules = join(root, 'node_modules');
const stamp = join(modules, '.installed-lock');
const installing = join(root, '.installing');
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');

/** Install the packages unless they are installed. Throws if npm fails. `npm` runs npm with these arguments and returns its exit code. */
export async function installPackages(npm) {
  if (!needsInstall()) return;
  const unlock = await lockInstall();
  try {
    // Another process may have installed the packages in the meantime.
    if (needsInstall()) await install(npm);
  } finally {
    unlock();
  }
}

function needsInstall() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return false;
  const packages = installedPackages();
  if (!packages || !hasPackages(packages)) return true;
  // Somebody ran npm by hand. The stamp only saves the comparison next time.
  if (!isForProduction(packages)) writeStamp();
  return false;
}

async function install(npm) {
  process.stderr.write('Installing packages (first run, or the lock file changed) …\n');
  const packages = installedPackages();
  const omitted = packages && isForProduction(packages) ? ['--omit=dev'] : [];
  const code = await npm(['ci', ...omitted, '--no-audit', '--no-fund', '--loglevel=error']);
  if (code !== 0)
    throw new Error('npm ci failed. Check that the npm registry can be reached and the disk has room, then try again.');
  writeStamp();
}

function writeStamp() {
  try {
    writeFileSync(stamp, lock);
  } catch {
    // Without permission to write, the next start compares the packages again.
  }
}

/** Lets one process install at a time: concurrent `npm ci` runs delete each other's packages. Returns the function that unlocks. */
async function lockInstall() {
  for (;;) {
    try {
      writeFileSync(installing, String(process.pid), { flag: 'wx' });
      return () => rmSync(installing, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isRunning(holderOf(installing))) breakLock();
    await wait(500);
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

/** The packages that npm has installed, by path; undefined before the first install. npm writes this file last. */
function installedPackages() {
  const file = join(modules, '.package-lock.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined;
}

/** Whether npm ran with `--omit=dev`. */
const isForProduction = (packages) => !Object.values(packages).some(({ dev }) => dev);

/** Whether all required packages are installed as the lock file says. Optional packages depend on the platform. */
function hasPackages(packages) {
  const isRequired = isForProduction(packages)
    ? ({ dev, devOptional, optional }) => !dev && !devOptional && !optional
    : ({ devOptional, optional }) => !devOptional && !optional;
  return Object.entries(JSON.parse(lock).packages)
    .filter(([path, entry]) => path.includes('node_modules/') && isRequired(entry))
    .every(([path, { version, integrity }]) => packages[path]?.version === version && packages[path].integrity === integrity);
}
