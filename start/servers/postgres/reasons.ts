import { lastLines } from '../run.ts';

/** Messages of PostgreSQL or the system, each with a remedy. */
const reasons: [pattern: RegExp, advice: (dataDir: string) => string][] = [
  [
    /no space left on device|check free disk space|ENOSPC|disk quota exceeded/i,
    (dataDir) => `The disk that holds ${dataDir} is full. Free some space, or set DATA_DIR to a folder on another disk.`,
  ],
  [
    /permission denied|EACCES|EPERM|read-only file system|wrong ownership|could not access directory/i,
    (dataDir) =>
      `PostgreSQL may not write to ${dataDir}. Change the owner of that folder to this user, or set DATA_DIR to another folder.`,
  ],
  [
    /cannot allocate memory|could not (create|map|resize) .*shared memory|out of memory/i,
    () =>
      'There is not enough memory for PostgreSQL (it needs about 200 MB). Stop other programs, or set DATABASE_URL to another server.',
  ],
  [
    /error while loading shared libraries|library not loaded|image not found|GLIBC/i,
    () =>
      'The embedded PostgreSQL cannot run on this system because a library is missing. Set DATABASE_URL to a PostgreSQL 15 or newer.',
  ],
  [
    /could not locate a valid checkpoint record|invalid data in file|invalid checksum|is corrupted|could not open .*pg_control/i,
    (dataDir) =>
      `The data in ${dataDir} is damaged. Restore a copy of the folder, or set DATA_DIR to an empty folder to start over.`,
  ],
];

/** An error whose message addresses the user of `npm start`. */
export function postgresFault(output: string, dataDir: string, log: string): Error {
  const [, advice] = reasons.find(([pattern]) => pattern.test(output)) ?? [];
  const sentence = advice?.(dataDir) ?? `PostgreSQL did not start. See its log ${log}.`;
  const lines = lastLines(output);
  return new Error(lines ? `${sentence} Output:\n${lines}` : sentence);
}
