import type { Pool } from 'pg';
import { log } from '../telemetry/index.ts';

const INTERVAL = 30_000;
/** Milliseconds of a round trip beyond which its result is too inexact, unless there is none. */
const MAX_ROUND_TRIP = 500;
const READ = 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms';

/** The time of the database when the monotonic clock of this process was 0. */
let origin: number | undefined;

/**
 * The clock of the database, for times that are stored or compared with stored times. Jumps of the clock of one process do not affect it,
 * so processes agree. In a process without a database it is the clock of the system.
 */
export const clock = {
  now: (): Date => new Date(clock.ms()),
  /** Milliseconds since 1970. */
  ms: (): number => (origin === undefined ? Date.now() : Math.round(origin + performance.now())),
};

async function readClock(pool: Pool): Promise<void> {
  const startedAt = performance.now();
  const { rows } = await pool.query<{ ms: number }>(READ);
  const endedAt = performance.now();
  if (origin !== undefined && endedAt - startedAt > MAX_ROUND_TRIP) return;
  origin = rows[0]!.ms - (startedAt + endedAt) / 2;
}

/** Follow the clock of the database until the returned function is called. */
export async function followClock(pool: Pool): Promise<() => void> {
  await readClock(pool);
  const timer = setInterval(() => {
    readClock(pool).catch((error: unknown) => log.debug({ err: error }, 'Failed to read the clock of the database'));
  }, INTERVAL).unref();
  return () => clearInterval(timer);
}
