import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isAlive } from './processes.ts';
import { poll } from './run.ts';

export interface Holder {
  pid: number;
  startedAt: string;
  /** What the holder has told about itself, such as its addresses. */
  info: Record<string, unknown>;
}

/** Another process holds the data folder. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';

  constructor(
    readonly dataDir: string,
    readonly holder: Holder | undefined,
  ) {
    const who = holder ? ` (process ${holder.pid}, since ${holder.startedAt})` : '';
    super(`Already running on ${dataDir}${who}. Stop it, or set DATA_DIR to another folder.`);
  }
}

export interface Lock {
  /** Tell those who come later about the holder. */
  write(info: Record<string, unknown>): Promise<void>;
  release(): Promise<void>;
}

/** SQLITE_BUSY */
const busy = 5;

/** A lock on which nobody has a reference any more must not be collected and with that released. */
const held = new Set<DatabaseSync>();

/**
 * One holder at a time for a data folder. The lock is the operating system's own lock on a file (SQLite takes it), so it ends
 * with its process, however that ends, and nothing stale is left behind to be judged.
 */
export async function takeLock(dataDir: string): Promise<Lock> {
  const file = join(dataDir, 'holder.json');
  const database = lockFile(join(dataDir, 'lock'));
  if (!database) throw new AlreadyRunning(dataDir, await poll(() => readHolder(file), { forMs: 1_000 }));

  held.add(database);
  const startedAt = new Date().toISOString();
  const write = async (info: Record<string, unknown>) => {
    const holder: Holder = { pid: process.pid, startedAt, info };
    await writeFile(`${file}.new`, JSON.stringify(holder, null, 2));
    await rename(`${file}.new`, file);
  };
  await write({});
  return {
    write,
    async release() {
      if (!held.delete(database)) return;
      await rm(file, { force: true });
      database.close();
    },
  };
}

/** Nothing when another holds it. No other code may open this file: closing it anywhere in the process would give up the lock. */
function lockFile(path: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 250 });
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === busy) return undefined;
    throw new Error(`The lock ${path} cannot be taken (${(error as Error).message}). Set DATA_DIR to a folder that you may write to.`, {
      cause: error,
    });
  }
}

/** The holder's note, unless it is an earlier holder's that a kill left behind. */
async function readHolder(file: string): Promise<Holder | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (!text) return undefined;
  const holder = JSON.parse(text) as Holder;
  return isAlive(holder.pid) ? holder : undefined;
}
