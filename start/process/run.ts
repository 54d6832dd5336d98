import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Stop } from '../../platform/queues/background.ts';
import { log } from '../../platform/telemetry/index.ts';
import { ConfigurationError, type Name } from '../../schema/environment.ts';
import { messageOf } from '../../schema/errors.ts';
import { closeOnce, exitNow, stopOnSignal } from '../servers/signals.ts';
import { exitWithParent } from '../servers/supervise.ts';
import { shareLookups } from './patches/dns.ts';

interface Running {
  /** URLs that the process sends to its parent process when it is ready. */
  addresses?: Record<string, string>;
  /** Seconds between the shutdown signal and `close`; the process still accepts connections meanwhile. */
  shutdownDelay?: number;
  /** Stops all parts of the process by name. */
  close(stop: Stop): Promise<void>;
}

/** Milliseconds after which a closing process ends, also if some of its parts have not stopped. */
const CLOSE_MS = 16_000;

/**
 * Run a process until it receives a signal, then shut it down gracefully. If it cannot start, the process prints the reason and
 * exits with code 1.
 */
export async function runProcess(name: string, start: (leaving: AbortSignal) => Promise<Running>): Promise<void> {
  const leaving = new AbortController();
  shareLookups();
  logWarnings();
  // The first process of a container ignores signals that have no handler, and would run until it is killed.
  const forget = stopOnSignal(async () => {});
  exitWithParent();
  const running = await start(leaving.signal).catch((error: unknown) => {
    process.stderr.write(`${name}: ${describeError(error)}\n`);
    return exitNow(1);
  });
  const delay = (running.shutdownDelay ?? 0) * 1_000;
  const shutdown = new Shutdown();
  const close = async (err?: Error) => {
    leaving.abort();
    if (err) log.error({ err }, `${name} failed`);
    else await wait(delay);
    await running.close(shutdown.stop);
  };
  closeOnce(delay + CLOSE_MS, close, () => log.error({ parts: shutdown.open }, `${name} ends before all its parts have stopped`));
  forget();
  collectGarbage();
  process.send?.({ ready: true, addresses: running.addresses });
  log.info({ ...running.addresses }, `${name} is ready`);
}

/** Node prints the warnings of packages as text, which a collector of JSON lines cannot read. */
function logWarnings() {
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ err }, 'Warning of Node or a package'));
}

/** Return a required variable. Throws `ConfigurationError` if it is undefined. */
export function requireValue<T>(name: Name, value: T | undefined): T {
  if (value === undefined) throw new ConfigurationError([`${name} is required`]);
  return value;
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'the port is in use; choose another, or stop the process that uses it',
  ECONNREFUSED: 'connection refused; check DATABASE_URL and TEMPORAL_ADDRESS',
  ENOTFOUND: 'the host name is unknown; check DATABASE_URL and TEMPORAL_ADDRESS',
  EACCES: 'permission denied by the system',
  ENOSPC: 'the disk is full',
};

export function describeError(error: unknown): string {
  const { code } = error as { code?: string };
  const message = error instanceof Error ? messageOf(error) : String(error);
  const reason = code && reasons[code];
  return reason ? `${message} (${reason})` : message;
}

const DEFAULT_MS = 1_000;
/** Milliseconds of the shutdown of a server; longer than its requests in flight and running replies get. */
export const SERVER_CLOSE_MS = 11_500;

/** The end of a process, whose parts cannot hold up each other. */
export class Shutdown {
  readonly #open = new Set<string>();

  /** Names of the parts that have not stopped, although the shutdown may no longer wait for them. */
  get open(): string[] {
    return [...this.#open];
  }

  /** Stop a part, and wait for it up to a limit. Failures are logged. */
  readonly stop: Stop = async (part, work, milliseconds = DEFAULT_MS) => {
    this.#open.add(part);
    const stopping = Promise.resolve()
      .then(work)
      .catch((err: unknown) => log.warn({ part, err }, 'A part of the process failed to stop'))
      .then(() => this.#open.delete(part));
    const timer = new AbortController();
    const isLate = await Promise.race([
      stopping.then(() => false),
      wait(milliseconds, true, { signal: timer.signal, ref: false }).catch(() => true),
    ]);
    timer.abort();
    if (isLate) log.warn({ part, milliseconds }, 'A part of the process did not stop in time; continuing without it');
  };
}

/**
 * Returns the memory that only the start needed to the system: sources, parsed schemas, compiled code. V8 would keep it until its heap is
 * full. Blocks the process for about 0.1 s, so call it before the process is ready. The system gets the memory within ten seconds.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  setFlagsFromString('--no-expose-gc');
  // The flavor `last-resort` collects twice, for the same result.
  collect({ type: 'major', execution: 'sync' });
}
