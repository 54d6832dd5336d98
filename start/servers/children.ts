import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Restarts } from './restarts.ts';
import { lastLines } from './run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const limits = { attempts: 5, waitsMs: [250, 500, 1_000, 2_000, 4_000], steadyMs: 30_000 };

/** Shutdown timeout of a child in milliseconds, slightly longer than its own limit. */
export const STOP_MS = 17_000;

interface Options {
  name: string;
  /** A TypeScript file, relative to the project root. */
  script: string;
  args?: string[];
  /** Added to the environment of this process. */
  env?: Record<string, string | undefined>;
  /** Values of variables that are unset in the environment of this process. */
  defaults?: Record<string, string>;
  /** Readiness signal: an output line that matches, or the message `{ ready: true, addresses }`. */
  ready: RegExp | 'message';
  /** Milliseconds before a stopping child is killed. */
  stopMs?: number;
  /** Awaited before each restart, for example until a required server runs. */
  beforeRestart?: () => Promise<unknown>;
  onLine?: (line: string) => void;
  /** Called each time the child is ready, with the number of restarts. */
  onReady?: (restarts: number) => void;
  /** Called when the child exits unexpectedly. */
  onExit?: (end: { code: number | null; signal: NodeJS.Signals | null; again: boolean }) => void;
}

type Addresses = Record<string, string>;

export interface Supervised {
  /** Resolves with the child's URLs when it is first ready. Rejects if it fails too often or is stopped before. */
  readonly ready: Promise<Addresses>;
  /** Rejects when the child has failed too often to restart. */
  readonly failed: Promise<never>;
  /** Undefined between an exit and the next start. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** Run a child process: restart it after crashes and stop it gracefully. It exits when this process exits. */
export function supervise({
  name,
  script,
  args = [],
  env,
  defaults = {},
  ready: sign,
  stopMs = STOP_MS,
  beforeRestart,
  onLine,
  onReady,
  onExit,
}: Options): Supervised {
  const ready = Promise.withResolvers<Addresses>();
  const failed = Promise.withResolvers<never>();
  // Callers may ignore these promises and use `onExit` instead.
  ready.promise.catch(() => {});
  failed.promise.catch(() => {});

  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let starts = 0;
  const restarts = new Restarts(limits);

  const start = () => {
    const lines: string[] = [];
    const isReady = (addresses: Addresses = {}) => {
      restarts.ready();
      ready.resolve(addresses);
      onReady?.(starts - 1);
    };
    restarts.begin();
    starts += 1;
    child = launch(script, args, { ...unset(defaults), ...env });
    onLines(child, (line) => {
      lines.push(line);
      if (lines.length > 20) lines.shift();
      onLine?.(line);
      if (sign instanceof RegExp && sign.test(line)) isReady();
    });
    if (sign === 'message')
      child.on('message', (message: { ready?: boolean; addresses?: Addresses }) => message.ready && isReady(message.addresses));
    child.once('error', (error) => lines.push(error.message));
    child.once('close', (code, signal) => {
      child = undefined;
      if (stopped) return;
      const delay = restarts.next();
      onExit?.({ code, signal, again: delay !== undefined });
      if (delay !== undefined) {
        timer = setTimeout(startAgain, delay);
        return;
      }
      const error = new Error(
        `${name} ended ${restarts.attempts} times before it was ready; its last lines:\n${lastLines(lines.join('\n'), 10)}`,
      );
      ready.reject(error);
      failed.reject(error);
    });
  };
  const startAgain = async () => {
    await beforeRestart?.();
    if (!stopped) start();
  };
  start();

  return {
    ready: ready.promise,
    failed: failed.promise,
    get pid() {
      return child?.pid;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      ready.reject(new Error(`${name} was stopped before it was ready`));
      if (child) await stopChild(child, stopMs);
      child = undefined;
    },
  };
}

const unset = (defaults: Record<string, string>) =>
  Object.fromEntries(Object.entries(defaults).filter(([name]) => !process.env[name]?.trim()));

/** Uses a separate process group: Ctrl-C reaches only the parent, which then stops its children in order. */
function launch(script: string, args: string[], env: Options['env']): ChildProcess {
  return spawn(process.execPath, ['--import', './start/typescript.mjs', '--disable-warning=ExperimentalWarning', script, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

function onLines(child: ChildProcess, each: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', each);
}

async function stopChild(child: ChildProcess, stopMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  // Windows has no signals; closing the channel requests the shutdown.
  if (process.platform === 'win32') child.disconnect();
  else child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exit;
  clearTimeout(late);
}

/** Called in the child: shut down as on SIGTERM when the parent exits, and force the exit after `stopMs` if it is set. */
export function exitWithParent(stopMs?: number): void {
  // Nobody reads the output any more; a write error must not end the process before it has closed.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const end = () => {
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(0);
    if (stopMs !== undefined) setTimeout(() => process.exit(1), stopMs).unref();
  };
  // Undefined means that there is no channel.
  if (process.connected === false) end();
  else process.once('disconnect', end);
  process.channel?.unref();
}
