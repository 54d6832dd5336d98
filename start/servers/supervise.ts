import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lastLines } from './processes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const childRestarts = { attempts: 5, waitsMs: [250, 500, 1_000, 2_000, 4_000], steadyMs: 30_000 };

/** Shutdown timeout of a child in milliseconds, slightly longer than its own limit. */
export const STOP_MS = 17_000;

interface ChildOptions {
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

interface Supervised {
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
}: ChildOptions): Supervised {
  const ready = Promise.withResolvers<Addresses>();
  const failed = Promise.withResolvers<never>();
  // Callers may ignore these promises and use `onExit` instead.
  ready.promise.catch(() => {});
  failed.promise.catch(() => {});

  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let starts = 0;
  const restarts = new Restarts(childRestarts);

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
function launch(script: string, args: string[], env: ChildOptions['env']): ChildProcess {
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

const serverRestarts = { attempts: 10, waitsMs: [250, 500, 1_000, 2_000, 4_000, 8_000], steadyMs: 30_000 };

/** A server that may exit unexpectedly. */
export interface Server {
  /** Resolves when the process has exited. */
  ended(): Promise<unknown>;
  stop(): Promise<void>;
}

interface WatchOptions {
  name: string;
  server: Server;
  /** Restart the server at the same address. */
  restart: () => Promise<Server>;
  /** Called with a terminal line when the server exits and when it has restarted. */
  onLine: (text: string) => void;
  /** Called when the server has failed too often to restart. */
  onFailed: (error: Error) => void;
}

export interface WatchedServer {
  /** Resolves immediately while the server runs, or when it has restarted. */
  running(): Promise<void>;
  stop(): Promise<void>;
}

/** Restart a server whenever its process exits, until `stop` is called. */
export function watchServer({ name, server, restart, onLine, onFailed }: WatchOptions): WatchedServer {
  const restarts = new Restarts(serverRestarts);
  const stopped = new AbortController();
  let current = server;
  let running = Promise.resolve();
  let starting: Promise<Server> | undefined;

  /** Returns undefined if the server was stopped during the restart. */
  const recover = async (): Promise<Server | undefined> => {
    let cause: unknown;
    for (let delay = restarts.next(); delay !== undefined; delay = restarts.next()) {
      await wait(delay, undefined, { signal: stopped.signal }).catch(() => {});
      if (stopped.signal.aborted) return undefined;
      restarts.begin();
      try {
        starting = restart();
        return await starting;
      } catch (error) {
        cause = error;
      }
    }
    throw new Error(`${name} could not be restarted: ${(cause as Error).message}`);
  };

  const watch = async () => {
    restarts.begin();
    for (;;) {
      restarts.ready();
      await current.ended();
      if (stopped.signal.aborted) return;
      onLine(`${name} exited unexpectedly; restarting`);
      const back = Promise.withResolvers<void>();
      running = back.promise;
      const next = await recover();
      if (!next) return;
      current = next;
      back.resolve();
      if (!stopped.signal.aborted) onLine(`${name} is running again`);
    }
  };
  watch().catch(onFailed);

  return {
    running: () => running,
    async stop() {
      stopped.abort();
      const last = await starting?.catch(() => undefined);
      await (last ?? current).stop();
    },
  };
}

interface Limits {
  /** Maximum consecutive failed starts. */
  attempts: number;
  /** Delays before restarts, in milliseconds; the last one repeats. */
  waitsMs: readonly number[];
  /** Uptime in milliseconds that resets the delays. */
  steadyMs: number;
}

/** Bounded back-off between the restarts of one process. */
class Restarts {
  #attempts = 0;
  #ends = 0;
  #startedAt = 0;

  constructor(private readonly limits: Limits) {}

  get attempts(): number {
    return this.#attempts;
  }

  begin(): void {
    this.#attempts += 1;
    this.#startedAt = Date.now();
  }

  ready(): void {
    this.#attempts = 0;
  }

  /** Call when the process has exited. Returns milliseconds before the next start, or undefined after too many failures. */
  next(): number | undefined {
    const { attempts, waitsMs, steadyMs } = this.limits;
    if (this.#attempts >= attempts) return undefined;
    if (Date.now() - this.#startedAt > steadyMs) this.#ends = 0;
    const wait = waitsMs[this.#ends] ?? waitsMs.at(-1);
    this.#ends += 1;
    return wait;
  }
}
