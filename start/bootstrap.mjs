// The plain-Node pre-step of every npm script: installs what is missing, then runs the script on the project's own Node.
// Needs nothing but Node 20 and npm; everything it says goes to standard error, so a script's output stays its own.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stamp = join(modules, '.installed-lock');
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');

const installed = existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
const production = !installed && installedForProduction();
if (!installed && !(production && hasPackages(production))) {
  process.stderr.write('Installing packages (first run, or the lock file changed) …\n');
  // A shell on Windows, because npm is a .cmd file there; the arguments are constants.
  const { status } = spawnSync(
    'npm',
    ['ci', ...(production ? ['--omit=dev'] : []), '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) {
    process.stderr.write('npm ci failed. Check that the npm registry can be reached and the disk has room, then try again.\n');
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}

const [script, ...args] = process.argv.slice(2);
const bin = join(modules, '.bin');
const node = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const child = spawn(node, ['--import', './start/typescript.mjs', '--disable-warning=ExperimentalWarning', script, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: `${bin}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH}` },
});

// The terminal sends Ctrl-C to the child as well; the parent only waits for it.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

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
