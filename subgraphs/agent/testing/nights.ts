import { clock } from '../../../platform/database/index.ts';

/** The hour (UTC) of nightly runs. */
const HOUR = 2;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The first night after a time. */
export function nextNight(after: Date): Date {
  const night = new Date(Date.UTC(after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate(), HOUR));
  return night > after ? night : new Date(night.getTime() + DAY_MS);
}

/** The next night of a set that was due. The clock of the database, which says when a set is due, can be ahead of that of the process. */
export const nightAfterRun = (due: Date): Date => nextNight(due > clock.now() ? due : clock.now());
