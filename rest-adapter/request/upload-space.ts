import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { GraphQLError } from 'graphql';
import { fail } from '../../schema/errors.ts';

/** Seconds after which a refused caller should retry. Most forms have arrived by then. */
const RETRY_AFTER = 10;

/** Bytes that one form holds in the temporary folder. */
export interface FormReservation {
  /** Count bytes before they are written. Bytes beyond the announced ones need room, and throw without it. */
  add(bytes: number): void;
  /** Call it once the files of the form are deleted. Repeated calls have no effect. */
  release(): void;
}

/**
 * Limits the bytes of the forms that a process receives at the same time. An organization never holds more than it leaves free: alone it
 * gets half of the budget, two get a third each, and so on. There is always room for one more.
 */
export class UploadBudget {
  readonly #held = new Map<string, number>();
  #free: number;

  constructor(readonly bytes: number) {
    this.#free = bytes;
  }

  /** Bytes that no form holds. */
  get free(): number {
    return this.#free;
  }

  /** Maximum bytes of one form, with its frame. */
  get largestForm(): number {
    return Math.floor(this.bytes / 2);
  }

  /**
   * Reserve the announced length of a form; 0 if it is unknown. Throws `RATE_LIMITED` if other forms of the owner take its share, and
   * `UNAVAILABLE` if those of others do.
   */
  reserve(owner: string, announced: number): FormReservation {
    this.#take(owner, announced);
    let [reserved, written, isReleased] = [announced, 0, false];
    return {
      add: (bytes) => {
        written += bytes;
        if (isReleased || written <= reserved) return;
        this.#take(owner, written - reserved);
        reserved = written;
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#change(owner, -reserved);
      },
    };
  }

  #take(owner: string, bytes: number): void {
    const held = this.#held.get(owner) ?? 0;
    if (held + bytes > this.#free - bytes) throw refusal(held);
    this.#change(owner, bytes);
  }

  #change(owner: string, bytes: number): void {
    this.#free -= bytes;
    const held = (this.#held.get(owner) ?? 0) + bytes;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}

/** 429 if the caller can end uploads of its own, or else 503. */
function refusal(held: number): GraphQLError {
  if (held === 0) return fail('UNAVAILABLE', 'Other uploads are in progress. Try again shortly.');
  const message = 'Other uploads of the organization are in progress. Try again when they end.';
  return new GraphQLError(message, { extensions: { code: 'RATE_LIMITED', retryAfter: RETRY_AFTER } });
}

const PREFIX = 'catalog-graph-uploads';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Identifies this process. The start time distinguishes processes that reuse a pid. */
const owner = [PREFIX, hostname(), process.pid, Math.round(performance.timeOrigin)].join('~');
/** The random part prevents other users from creating the folder first. */
const own = `${owner}~${randomUUID()}`;

/**
 * Create a temporary folder for the files of one form; the caller must remove it. It is inside a folder of this process, so that
 * other processes can check whether the owner is alive.
 */
export async function makeUploadFolder(parent = tmpdir()): Promise<string> {
  const folder = join(parent, own);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return mkdtemp(join(folder, 'form-'));
}

/** Remove the folders of dead processes, now and every hour. Returns a function that stops the sweep. */
export async function startUploadSweep(parent = tmpdir()): Promise<() => Promise<void>> {
  const timer = setInterval(() => void sweep(parent), HOUR).unref();
  await sweep(parent);
  return async () => {
    clearInterval(timer);
    await rmdir(join(parent, own)).catch(() => {});
  };
}

async function sweep(parent: string): Promise<void> {
  const now = new Date();
  // Other hosts can only use the modification time to detect that this process is alive.
  await utimes(join(parent, own), now, now).catch(() => {});
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(`${PREFIX}~`) || name.startsWith(`${owner}~`)) continue;
    const path = join(parent, name);
    if (await isAbandoned(name, path)) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function isAbandoned(name: string, path: string): Promise<boolean> {
  const [, host, pid] = name.split('~');
  if (host !== hostname()) return Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()) > DAY;
  // The previous owner had the same pid, as is usual after a container restart.
  return Number(pid) === process.pid || !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
