import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { isRoot } from '../folders.ts';
import { type Account, run } from '../run.ts';

/** The account that runs the server: this user, or another account if this user is root, which PostgreSQL rejects. */
export async function findAccount(folder: string): Promise<Account> {
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
export async function provideFolder(folder: string, dataDir: string, account: Account): Promise<void> {
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

async function createAccount(): Promise<Account | undefined> {
  await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']);
  return lookUp('postgres');
}

async function lookUp(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name])));
  return uid?.code === 0 && gid?.code === 0 ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined;
}
