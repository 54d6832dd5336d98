import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { runCommand } from './commands.ts';
import { rememberedPort } from './ports.ts';
import { findPrograms, type Programs } from './postgres-programs.ts';

export interface Postgres {
  url: string;
  pid: number;
  /** It was running already: its last starter was killed. */
  adopted: boolean;
  stop(): Promise<void>;
}

const DATABASE = 'catalog_graph';
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  // Planned for a solid-state disk.
  random_page_cost: '1.1',
  log_min_messages: 'warning',
};

/** A PostgreSQL server over a folder of its own. One that survived its starter is taken over; one that crashed recovers. */
export async function startPostgres({ dataDir, onStep = () => {} }: { dataDir: string; onStep?: (text: string) => void }): Promise<Postgres> {
  const folder = join(dataDir, 'postgres');
  const data = join(folder, 'data');
  const programs = await findPrograms();
  await mkdir(folder, { recursive: true });
  await own(folder, programs);
  const run = (program: 'initdb' | 'pg_ctl', args: string[]) =>
    runCommand(programs[program], args, { cwd: folder, ...programs.user, env: { ...process.env, LC_ALL: 'C' }, timeout: 120_000 });

  const password = await initialise(folder, programs, run, onStep);
  const running = await adopt(data, password, run);
  if (running) onStep('took over the PostgreSQL that was still running');
  const port = running ?? (await start(folder, run, onStep));
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/${DATABASE}`;
  await createDatabase(url);
  return {
    url,
    pid: Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]),
    adopted: running !== undefined,
    async stop() {
      await run('pg_ctl', ['stop', '-D', data, '-m', 'fast', '-w', '-t', '30']);
    },
  };
}

type Run = (program: 'initdb' | 'pg_ctl', args: string[]) => ReturnType<typeof runCommand>;

/** Make the data folder once. An attempt that was cut short left no stamp and is made anew. */
async function initialise(folder: string, programs: Programs, run: Run, onStep: (text: string) => void): Promise<string> {
  const [data, stamp] = [join(folder, 'data'), join(folder, 'password')];
  const known = await readFile(stamp, 'utf8').catch(() => undefined);
  if (known && (await stat(join(data, 'PG_VERSION')).catch(() => undefined))) return known;

  onStep('creating a database folder');
  await rm(data, { recursive: true, force: true });
  const password = randomBytes(18).toString('base64url');
  const draft = join(folder, 'password.draft');
  await writeFile(draft, password, { mode: 0o600 });
  await own(draft, programs);
  const encoding = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const made = await run('initdb', ['-D', data, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${draft}`, ...encoding]);
  if (made.code !== 0) throw new Error(`PostgreSQL could not create its data folder ${data}: ${reasonIn(made.output)}`);
  await rm(draft, { force: true });
  await writeFile(stamp, password, { mode: 0o600 });
  return password;
}

/** The port of a server that is running on this folder and answers; one that does not answer is stopped. */
async function adopt(data: string, password: string, run: Run): Promise<number | undefined> {
  const { code } = await run('pg_ctl', ['status', '-D', data]);
  if (code !== 0) return undefined;
  const port = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[3]);
  const client = new pg.Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    await client.end();
    return port;
  } catch {
    await run('pg_ctl', ['stop', '-D', data, '-m', 'immediate', '-w']);
    return undefined;
  }
}

async function start(folder: string, run: Run, onStep: (text: string) => void): Promise<number> {
  const [data, log] = [join(folder, 'data'), join(folder, 'log')];
  const port = await rememberedPort(join(folder, 'port'));
  const options = Object.entries({ ...settings, port: String(port) }).map(([name, value]) => `-c ${name}='${value}'`);
  // After a kill -9 its last processes may hold the shared memory for a moment.
  for (let attempt = 1; ; attempt += 1) {
    const started = await run('pg_ctl', ['start', '-D', data, '-w', '-t', '60', '-l', log, '-o', options.join(' ')]);
    if (started.code === 0) return port;
    const said = `${started.output}\n${(await readFile(log, 'utf8').catch(() => '')).slice(-2_000)}`;
    if (attempt === 10 || !/shared memory|another server|lock file/.test(said)) throw new Error(`PostgreSQL did not start: ${reasonIn(said)}`);
    onStep('waiting for the last PostgreSQL to end');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

const advice: [RegExp, string][] = [
  [/No space left/i, 'the disk is full; make room, or set DATA_DIR to another disk'],
  [/incompatible with server|initialized by PostgreSQL version/i, 'the data folder is of another PostgreSQL version; set DATA_DIR to a new folder'],
  [/Permission denied/i, 'the folder may not be written; set DATA_DIR to one that may'],
  [/error while loading shared libraries/i, 'the packaged programs do not run on this system; set DATABASE_URL to a PostgreSQL of your own'],
];

const reasonIn = (output: string) => advice.find(([pattern]) => pattern.test(output))?.[1] ?? output.trim().split('\n').slice(-5).join('\n');

async function own(path: string, { user }: Programs): Promise<void> {
  if (!user) return;
  await chown(path, user.uid, user.gid);
  await chmod(path, (await stat(path)).isDirectory() ? 0o755 : 0o600);
}

async function createDatabase(url: string): Promise<void> {
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new pg.Client({ connectionString: maintenance.href });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}
