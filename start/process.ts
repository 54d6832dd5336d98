import closeWithGrace from 'close-with-grace';
import { ConfigurationError, type Name } from '../schema/environment.ts';
import { log } from '../subgraphs/common/log.ts';
import { dieWithParent } from './servers/children.ts';

interface Running {
  /** What the parent process, if there is one, is told when the process is ready. */
  addresses?: Record<string, string>;
  close(): Promise<void>;
}

/**
 * Run a process until it is told to end, then close it in order. A configuration that cannot work ends it at once with
 * sentences that say why, exit code 1.
 */
export async function runProcess(name: string, start: () => Promise<Running>): Promise<void> {
  const running = await start().catch((error: unknown) => {
    process.stderr.write(`${name}: ${sentenceOf(error)}\n`);
    process.exit(1);
  });
  closeWithGrace({ delay: 15_000 }, async ({ err }) => {
    if (err) log.error({ err }, `${name} failed`);
    await running.close();
  });
  dieWithParent();
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
