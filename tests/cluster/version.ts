import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npm, root } from '../support/npm.ts';

const run = promisify(execFile);

/** Write the files of a commit to a new folder, with the packages of its lock file. Returns the folder. */
export async function checkOut(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-graph-version-'));
  const archive = join(folder, 'sources.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: root });
  await run('tar', ['-xf', archive, '-C', folder]);
  const [own, current] = await Promise.all([folder, root].map((each) => readFile(join(each, 'package-lock.json'), 'utf8')));
  if (own === current) await linkPackages(folder);
  else await npm(folder, 'ci', '--no-audit', '--no-fund');
  return folder;
}

/** The links of workspaces are relative, so the copies lead to the sources of the folder. */
async function linkPackages(folder: string): Promise<void> {
  const [from, to] = [root, folder].map((each) => join(each, 'node_modules'));
  await mkdir(to!);
  for (const name of await readdir(from!)) {
    if (name === '.cache') continue;
    const path = join(from!, name);
    const isLink = (await lstat(path)).isSymbolicLink();
    await symlink(isLink ? await readlink(path) : path, join(to!, name));
  }
}

/** Run the migrations of the current version. */
export async function migrate(databaseUrl: string): Promise<string> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: '' };
  const { stderr } = await run(process.execPath, ['--import', './start/typescript.mjs', 'start/migrate.ts'], { cwd: root, env });
  return stderr.trim();
}
