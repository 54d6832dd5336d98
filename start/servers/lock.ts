import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, isAlive, startTime } from './processes.ts';

/** Details that the lock holder publishes to other processes. */
export type Info = Record<string, string>;

interface Held {
  pid: number;
  startedAt: string | undefined;
  info: Info;
}

export interface Lock {
  /** Publish details of the running system. */
  write(info: Info): void;
  release(): void;
}

/** Another process uses this data folder. */
export class AlreadyRunning extends Error {
  override name = 'AlreadyRunning';

  constructor(
    readonly pid: number,
    readonly info: Info,
  ) {
    super(`It is running already, as process ${pid}`);
  }
}

/** Lock the data folder for this process. Replaces the lock of a dead process. Throws `AlreadyRunning`. */
export async function takeLock(dataDir: string): Promise<Lock> {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'lock.json');
  const mine: Held = { pid: process.pid, startedAt: await startTime(process.pid), info: {} };
  while (!create(file, mine)) await removeDead(file);
  return {
    write(info) {
      Object.assign(mine.info, info);
      writeFileSync(file, JSON.stringify(mine));
    },
    release() {
      if (read(file)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** The details that the holder of a data folder published last. */
export const readLock = (dataDir: string): Info => read(join(dataDir, 'lock.json'))?.info ?? {};

/** Writes the file atomically: a hard link makes it appear with its content. */
function create(file: string, held: Held): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(held), { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Only one process at a time may remove a stale lock; otherwise two could remove each other's new lock. */
async function removeDead(file: string): Promise<void> {
  const held = read(file);
  if (held && (await holds(held))) throw new AlreadyRunning(held.pid, held.info);
  const guard = `${file}.turn`;
  if (!create(guard, { pid: process.pid, startedAt: undefined, info: {} })) {
    if (Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 5_000) rmSync(guard, { force: true });
    return void (await new Promise((resolve) => setTimeout(resolve, 50)));
  }
  if (read(file)?.pid === held?.pid) rmSync(file, { force: true });
  rmSync(guard, { force: true });
}

function read(file: string): Held | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Held;
  } catch {
    return undefined;
  }
}

/** A process with a reused pid is not the holder. */
async function holds({ pid, startedAt }: Held): Promise<boolean> {
  // A killed process stays a zombie until its parent has noticed.
  if (!isAlive(pid) || (await commandLine(pid)) === '') return false;
  const now = await startTime(pid);
  return now === undefined || startedAt === undefined || now === startedAt;
}
