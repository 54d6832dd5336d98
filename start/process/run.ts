import { setTimeout as wait } from 'node:timers/promises';
import type { Stop } from '../../platform/queues/stop.ts';
import { log } from '../../platform/telemetry/log.ts';
import { ConfigurationError, type Name } from '../../schema/environment.ts';
import { messageOf } from '../../schema/logged-error.ts';
import { exitWithParent } from '../servers/children.ts';
import { exitNow } from '../servers/exit.ts';
import { closeOnce, stopOnSignal } from '../servers/signals.ts';
import { collectGarbage } from './garbage.ts';
import { shareLookups } from './shared-lookups.ts';
import { Shutdown } from './shutdown.ts';

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
