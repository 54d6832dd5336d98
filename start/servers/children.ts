import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Restarts } from './restarts.ts';
import { lastLines } from './run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const limits = { attempts: 5, waitsMs: [250, 500, 1_000, 2_000, 4_000], steadyMs: 30_000 };

/** Milliseconds that a child has to end by itself: a little more than its own limit. */
export const STOP_MS = 17_000;

interface Options {
  name: string;
  /** A TypeScript file of ours, from the root of the project. */
  script: string;
  args?: string[];
  /** Added to the environment of this process. */
  env?: Record<string, string | undefined>;
  /** Used for variables that the environment of this process leaves unset. */
  defaults?: Record<string, string>;
  /** A line of output that says the child is ready, or its message `{ ready: true, addresses }`. */
  ready: RegExp | 'message';
  /** Milliseconds that the child has to end before it is killed. */
  stopMs?: number;
  /** Awaited before each restart, such as for a server that the child needs. */
  beforeRestart?: () => Promise<unknown>;
  onLine?: (line: string) => void;
  /** Called each time the child is ready, with its number of restarts. */
  onReady?: (restarts: number) => void;
  /** The child ended without being told to. */
  onExit?: (end: { code: number | null; signal: NodeJS.Signals | null; again: boolean }) => void;
}

type Addresses = Record<string, string>;

export interface Supervised {
  /** The first time it is ready, with the addresses it told. Rejects when it is given up or stopped before. */
  readonly ready: Promise<Addresses>;
  /** Rejects when the child failed too often to be started again. */
  readonly failed: Promise<never>;
  /** Undefined between an end and the next start. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** Keep a process of ours running: start it, start it again when it dies, stop it in order. It ends when this process ends. */
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
  // Whoever does not look at these is told by `onExit`.
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

/** In a process group of its own: Ctrl-C reaches the parent alone, which then stops its children in order. */
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
  // Windows knows no signals; there the end of the channel is the request.
  if (process.platform === 'win32') child.disconnect();
  else child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exit;
  clearTimeout(late);
}

/** For the child: end in order, as if told to by SIGTERM, when the parent is gone; at once after `stopMs`. */
export function dieWithParent(stopMs = STOP_MS): void {
  // Nothing reads the output any more; writing it must not end the process before it has closed.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const end = () => {
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(0);
    setTimeout(() => process.exit(1), stopMs).unref();
  };
  // Undefined means that there never was a channel.
  if (process.connected === false) end();
  else process.once('disconnect', end);
  process.channel?.unref();
}
