// Runs before every npm script: installs missing packages, then runs the script on the project's own Node version.
// Needs only Node 20 and npm. It writes to standard error, because standard output belongs to the script.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stamp = join(modules, '.installed-lock');
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');

const installed = existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
if (!installed) {
  process.stderr.write('Installing packages (first run, or the lock file changed) …\n');
  // Windows needs a shell because npm is a .cmd file there; the arguments are constants.
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
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

// The terminal also sends Ctrl-C to the child, so the parent only waits.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
