// Runs before every npm script: installs missing packages, then runs the script on the project's own Node version.
// Needs only Node 20 and npm. It writes to standard error, because standard output belongs to the script.
import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, modules, root } from './installation.mjs';

const isWindows = process.platform === 'win32';
let child;
let signalOfEnd;

// The terminal also sends Ctrl-C to the child, so the parent only waits.
process.on('SIGINT', () => (signalOfEnd ??= 'SIGINT'));
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal));
if (process.env.npm_lifecycle_event) endWithParent();

try {
  // Windows needs a shell because npm is a .cmd file there; the arguments are constants.
  await installPackages((args) => run('npm', args, { stdio: ['ignore', 2, 2], shell: isWindows }));
} catch (error) {
  if (!signalOfEnd) process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
if (signalOfEnd) process.exit(1);

const [script, ...args] = process.argv.slice(2);
const node = join(modules, 'node', 'bin', isWindows ? 'node.exe' : 'node');
const code = await run(node, ['--import', './start/typescript.mjs', '--disable-warning=ExperimentalWarning', script, ...args], {
  // Through the channel the script notices when this process is killed.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { ...process.env, PATH: `${join(modules, '.bin')}${isWindows ? ';' : ':'}${process.env.PATH}` },
});
process.exit(code);

/** Run a program until it exits. Resolves with its exit code, or with 1 after a signal. */
function run(command, args, options) {
  child = spawn(command, args, { cwd: root, ...options });
  if (signalOfEnd) child.kill(signalOfEnd);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

function end(signal) {
  signalOfEnd ??= signal;
  child?.kill(signal);
}

/** npm passes SIGTERM only to its shell, and SIGKILL reaches neither. Both show as a changed parent, or as a changed parent of the shell. */
function endWithParent() {
  const parents = ancestry();
  const timer = setInterval(() => {
    if (ancestry() === parents) return;
    clearInterval(timer);
    end('SIGTERM');
  }, 500);
  timer.unref();
}

/** The id of npm, and that of its shell. Only some shells of Linux stay between npm and this process. */
function ancestry() {
  const { ppid } = process;
  try {
    // The parent of npm may exit while npm continues.
    if (readlinkSync(`/proc/${ppid}/exe`) === process.env.npm_node_execpath) return `${ppid}`;
    // The program name in parentheses may contain spaces; the parent is the second field after it.
    return `${ppid} ${readFileSync(`/proc/${ppid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]}`;
  } catch {
    return `${ppid}`;
  }
}
