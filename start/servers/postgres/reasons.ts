import { lastLines } from '../run.ts';

/** What PostgreSQL or the system says, and what a person can do about it. */
const reasons: [pattern: RegExp, advice: (dataDir: string) => string][] = [
  [
    /no space left on device|check free disk space|ENOSPC|disk quota exceeded/i,
    (dataDir) => `The disk that holds ${dataDir} is full. Make room, or set DATA_DIR to a folder on another disk.`,
  ],
  [
    /permission denied|EACCES|EPERM|read-only file system|wrong ownership|could not access directory/i,
    (dataDir) => `PostgreSQL may not write to ${dataDir}. Give this user that folder, or set DATA_DIR to another one.`,
  ],
  [
    /cannot allocate memory|could not (create|map|resize) .*shared memory|out of memory/i,
    () =>
      'There is not enough memory for PostgreSQL (it needs about 200 MB). End other programs, or set DATABASE_URL to a server elsewhere.',
  ],
  [
    /error while loading shared libraries|library not loaded|image not found|GLIBC/i,
    () =>
      'The embedded PostgreSQL cannot run on this system because a library is missing. Set DATABASE_URL to a PostgreSQL 15 or newer.',
  ],
  [
    /could not locate a valid checkpoint record|invalid data in file|invalid checksum|is corrupted|could not open .*pg_control/i,
    (dataDir) => `The data in ${dataDir} is damaged. Restore a copy of the folder, or set DATA_DIR to an empty one to begin anew.`,
  ],
];

/** An error whose message is a sentence for whoever runs `npm start`. */
export function postgresFault(said: string, dataDir: string, log: string): Error {
  const [, advice] = reasons.find(([pattern]) => pattern.test(said)) ?? [];
  const sentence = advice?.(dataDir) ?? `PostgreSQL did not start. Its log is ${log}.`;
  const lines = lastLines(said);
  return new Error(lines ? `${sentence} It says:\n${lines}` : sentence);
}
