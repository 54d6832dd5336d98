import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { ConfigurationError, type Name } from '../schema/environment.ts';
import { log } from '../subgraphs/common/log.ts';
import { dieWithParent } from './servers/children.ts';

interface Running {
  /** Addresses that the parent process, if any, gets when the process is ready. */
  addresses?: Record<string, string>;
  /** Seconds between the signal to stop and the close, while `leaving` is aborted and new connections are still accepted. */
  shutdownDelay?: number;
  close(): Promise<void>;
}

const CLOSE_MS = 15_000;

/**
 * Run a process until it is told to end, then close it in order. A configuration that cannot work ends it at once with
 * sentences that say why, exit code 1.
 */
export async function runProcess(name: string, start: (leaving: AbortSignal) => Promise<Running>): Promise<void> {
  const leaving = new AbortController();
  const running = await start(leaving.signal).catch((error: unknown) => {
    process.stderr.write(`${name}: ${sentenceOf(error)}\n`);
    process.exit(1);
  });
  const delay = (running.shutdownDelay ?? 0) * 1_000;
  closeWithGrace({ delay: delay + CLOSE_MS }, async ({ err }) => {
    leaving.abort();
    if (err) log.error({ err }, `${name} failed`);
    else await wait(delay);
    await running.close();
  });
  dieWithParent(delay + CLOSE_MS);
  process.send?.({ ready: true, addresses: running.addresses });
  log.info({ ...running.addresses }, `${name} is ready`);
}

/** A variable this process cannot do without. */
export function need<T>(name: Name, value: T | undefined): T {
  if (value === undefined) throw new ConfigurationError([`${name} is required`]);
  return value;
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'the port is in use; set another, or end the process that holds it',
  ECONNREFUSED: 'nothing answers at the address; check DATABASE_URL and TEMPORAL_ADDRESS',
  ENOTFOUND: 'the host name is unknown; check DATABASE_URL and TEMPORAL_ADDRESS',
  EACCES: 'the system does not allow it',
  ENOSPC: 'the disk is full',
};

export function sentenceOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  const reason = code && reasons[code];
  return reason ? `${message} (${reason})` : (message ?? String(error));
}
