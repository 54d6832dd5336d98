import { randomBytes } from 'node:crypto';
import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, run } from '../run.ts';
import { findAccount, provideFolder } from './account.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { postgresFault } from './reasons.ts';

/** A PostgreSQL data folder with the binaries and the account that run it. */
export interface Cluster {
  dataDir: string;
  /** Parent of the other folders; owned by the account. */
  folder: string;
  data: string;
  log: string;
  password: string;
  account: Account;
  binaries: Binaries;
}

/** English messages, because the code matches failure reasons against them. */
export const environment = { ...process.env, LC_ALL: 'C', LANGUAGE: '' };

/** The cluster of this data folder; created if missing. */
export async function openCluster(dataDir: string, onStep: (text: string) => void): Promise<Cluster> {
  const folder = join(dataDir, 'postgres');
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  try {
    const account = await findAccount(folder);
    await provideFolder(folder, dataDir, account);
    const binaries = await findBinaries();
    const cluster = {
      dataDir,
      folder,
      data,
      log,
      account,
      binaries,
      password: await keepPassword(join(folder, 'password'), account),
    };
    const version = await findVersion(cluster);
    if (!version) await createCluster(cluster, onStep);
    if (version && version !== binaries.major) throw new Error(otherVersion(cluster, version));
    return cluster;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code ? postgresFault(message, dataDir, log) : error;
  }
}

function otherVersion({ data, binaries }: Cluster, version: string): string {
  return (
    `The data in ${data} was written by PostgreSQL ${version}, and this is PostgreSQL ${binaries.major}. ` +
    `Set DATA_DIR to an empty folder to start over, or run PostgreSQL ${version} on it yourself and set DATABASE_URL.`
  );
}

async function keepPassword(file: string, { uid, gid }: Account): Promise<string> {
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  if (kept) return kept.trim();

  const password = randomBytes(24).toString('base64url');
  await writeFile(`${file}.new`, `${password}\n`, { mode: 0o600 });
  if (uid !== undefined) await chown(`${file}.new`, uid, gid!);
  await rename(`${file}.new`, file);
  return password;
}

/** The major version that wrote the data. A folder that is not a cluster is renamed, not deleted, because its content is unknown. */
async function findVersion({ data }: Cluster): Promise<string | undefined> {
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => '');
  if (version) return version.trim();
  const there = await stat(data).catch(() => undefined);
  if (there) await rename(data, `${data}-put-aside-${Date.now()}`);
  return undefined;
}

/** Create the cluster under a temporary name and rename it, so that an interrupted attempt is never used. */
async function createCluster(cluster: Cluster, onStep: (text: string) => void): Promise<void> {
  onStep('Creating the PostgreSQL data folder (once)');
  const { folder, data, account, binaries, dataDir, log } = cluster;
  const unfinished = `${data}-unfinished`;
  let output = '';
  // Trigrams of non-ASCII letters need a UTF-8 locale, whose name depends on the system.
  for (const characters of ['C.UTF-8', 'en_US.UTF-8', 'C']) {
    await rm(unfinished, { recursive: true, force: true });
    const made = await run(
      binaries.path('initdb'),
      [
        `--pgdata=${unfinished}`,
        '--username=postgres',
        `--pwfile=${join(folder, 'password')}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        `--lc-ctype=${characters}`,
      ],
      { ...account, cwd: folder, env: environment },
    );
    if (made.code === 0) return rename(unfinished, data);
    output = made.output;
    if (!/locale/i.test(output.split('\n').find((line) => line.includes('error:')) ?? '')) break;
  }
  await rm(unfinished, { recursive: true, force: true });
  throw postgresFault(output, dataDir, log);
}
