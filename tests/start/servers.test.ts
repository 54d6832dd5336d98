import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { AlreadyRunning, takeLock } from '../../start/servers/lock.ts';
import { startPostgres } from '../../start/servers/postgres.ts';
import { commandLine } from '../../start/servers/processes.ts';
import { supervise } from '../../start/servers/supervise.ts';
import { findTemporal, startTemporal } from '../../start/servers/temporal.ts';
import { until } from '../support/until.ts';

let dataDir: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'catalog-graph-servers-'));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await rm(dataDir, { recursive: true, force: true });
});

const postgres = async () => {
  const server = await startPostgres({ dataDir });
  cleanups.push(server.stop);
  return server;
};

const temporal = async () => {
  const server = await startTemporal({ dataDir });
  cleanups.push(server.stop);
  return server;
};

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Write a program to the data folder; it may import project files. */
async function program(name: string, text: string): Promise<string> {
  const path = join(dataDir, `${name}.mjs`);
  const ours = new URL('../../start/servers/', import.meta.url).href;
  await writeFile(path, text.replaceAll('ours/', ours));
  return path;
}

const waiting = `
  import { appendFileSync } from 'node:fs';
  import { exitWithParent } from 'ours/supervise.ts';
  process.on('SIGTERM', () => { appendFileSync(process.argv[2], ' closed'); process.exit(0); });
  appendFileSync(process.argv[2], ' open');
  exitWithParent();
  setInterval(() => {}, 1_000);
  process.send({ ready: true, addresses: { url: 'http://127.0.0.1:1' } });`;

describe('PostgreSQL', () => {
  test('a row survives a kill of the server', async () => {
    const first = await postgres();
    await query(first.url, 'create table fact (name text)');
    await query(first.url, `insert into fact values ('kept')`);
    process.kill(first.pid, 'SIGKILL');

    const second = await postgres();
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'select name from fact')).toEqual([{ name: 'kept' }]);
  });

  test('a server that survived its parent is adopted at the same address', async () => {
    const first = await postgres();
    const second = await postgres();
    expect(second).toMatchObject({ url: first.url, pid: first.pid, adopted: true });
  });

  test('a hanging server is replaced', async () => {
    const first = await postgres();
    process.kill(first.pid, 'SIGSTOP');
    const second = await postgres();
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a busy port is replaced by another one, and a stopped server starts again', async () => {
    const first = await postgres();
    await first.stop();
    const other = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    cleanups.push(async () => other.close());

    const second = await postgres();
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
    expect(await query(second.url, 'select current_database() as name')).toEqual([{ name: 'catalog_graph' }]);
  });

  test('an interrupted creation is repeated, and a reused pid of a dead server is harmless', async () => {
    await mkdir(join(dataDir, 'postgres', 'data-unfinished', 'base'), { recursive: true });
    const first = await postgres();
    await first.stop();
    await writeFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), `${process.pid}\n${dataDir}\n0\n1\n\n127.0.0.1\n`);

    const { url } = await postgres();
    expect(await query(url, `select lower('ÄÖ') as lower, current_setting('server_encoding') as encoding`)).toEqual([
      { lower: 'äö', encoding: 'UTF8' },
    ]);
  });

  test('data of another major version is rejected with a remedy', async () => {
    await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '12\n');
    await expect(startPostgres({ dataDir })).rejects.toThrow(/written by PostgreSQL 12, and this is PostgreSQL \d+\. Set DATA_DIR/);
  });
});

test('a killed Temporal server restarts with its workflows', async () => {
  const first = await temporal();
  const start = async (address: string, work: (client: Client) => Promise<unknown>) => {
    const connection = await Connection.connect({ address });
    await work(new Client({ connection })).finally(() => connection.close());
  };
  await start(first.address, (client) => client.workflow.start('nothing', { workflowId: 'kept', taskQueue: 'nobody' }));
  process.kill(first.pid, 'SIGKILL');
  await until(async () => (await commandLine(first.pid)) === '');

  const second = await temporal();
  expect(second.uiUrl).toBe(first.uiUrl);
  await start(second.address, async (client) => {
    expect(await client.workflow.getHandle('kept').describe()).toMatchObject({ type: 'nothing', status: { name: 'RUNNING' } });
  });

  // A server that is still running does not block the next start.
  const third = await temporal();
  await start(third.address, (client) => client.workflow.getHandle('kept').describe());
});

test('a Temporal server that loses a port to another process starts on the next attempt', async () => {
  const [program, lost] = [join(dataDir, 'temporal'), join(dataDir, 'lost')];
  const script = `#!/bin/sh
    [ -e ${lost} ] && exec ${await findTemporal()} "$@"
    touch ${lost}
    echo 'panic: bind: address already in use'
    exit 1`;
  await writeFile(program, script, { mode: 0o755 });
  const { address, stop } = await startTemporal({ dataDir, program, readyMs: 30_000 });
  cleanups.push(stop);
  expect(await readFile(join(dataDir, 'temporal.log'), 'utf8')).toContain('address already in use');
  await (await Connection.connect({ address })).close();
});

test('a Temporal server that runs but never answers is replaced', async () => {
  const [program, mute] = [join(dataDir, 'temporal'), join(dataDir, 'mute')];
  const script = `#!/bin/sh
    [ -e ${mute} ] && exec ${await findTemporal()} "$@"
    echo $$ > ${mute}
    exec sleep 1000`;
  await writeFile(program, script, { mode: 0o755 });
  const { address, stop } = await startTemporal({ dataDir, program, readyMs: 12_000 });
  cleanups.push(stop);
  await (await Connection.connect({ address })).close();
  expect(await commandLine(Number(await readFile(mute, 'utf8')))).toBe('');
});

describe('The lock', () => {
  test('one of eight concurrent attempts succeeds, and the others get its details', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(dataDir)));
    const [lock, ...more] = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(more).toEqual([]);

    await lock!.write({ url: 'http://127.0.0.1:4000' });
    const second = await takeLock(dataDir).catch((error: unknown) => error);
    expect(second).toBeInstanceOf(AlreadyRunning);
    expect(second).toMatchObject({ info: { url: 'http://127.0.0.1:4000' } });
    await lock!.release();
    await (await takeLock(dataDir)).release();
  });

  test('one of eight processes replaces the lock of a dead process', async () => {
    const script = await program(
      'taker',
      `import { takeLock } from 'ours/lock.ts';
       await takeLock(process.argv[2]).then(() => console.log('won'), (error) => console.log(error.name));
       setInterval(() => {}, 1_000);`,
    );
    const take = async (): Promise<{ said: string; end(): void }> => {
      const child = spawn(process.execPath, ['--import', './start/typescript.mjs', script, dataDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const end = () => void child.kill('SIGKILL');
      cleanups.push(async () => end());
      const said = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
      return { said, end };
    };
    const dead = await take();
    expect(dead.said).toBe('won');
    dead.end();

    const said = (await Promise.all(Array.from({ length: 8 }, take))).map((each) => each.said);
    expect(said.filter((word) => word === 'won')).toHaveLength(1);
    expect(said.filter((word) => word === 'AlreadyRunning')).toHaveLength(7);
  });
});

describe('A supervised child', () => {
  test('restarts after a kill and shuts down gracefully on stop', async () => {
    const note = join(dataDir, 'note');
    const script = await program('waiting', waiting);
    const child = supervise({ name: 'waiting', script, args: [note], ready: 'message' });
    cleanups.push(child.stop);
    expect(await child.ready).toEqual({ url: 'http://127.0.0.1:1' });
    const { pid } = child;
    process.kill(pid!, 'SIGKILL');
    await until(() => child.pid !== undefined && child.pid !== pid);

    // Wait until its SIGTERM handler exists; otherwise the signal kills it.
    await until(async () => (await readFile(note, 'utf8')) === ' open open');
    await child.stop();
    expect(child.pid).toBeUndefined();
    expect(await readFile(note, 'utf8')).toBe(' open open closed');
  });

  test('fails with its last output if it never becomes ready', async () => {
    const script = await program('broken', `console.error('PORT must be a number'); process.exit(1);`);
    const ends: boolean[] = [];
    const child = supervise({ name: 'gateway', script, ready: /is ready/, onExit: ({ again }) => ends.push(again) });
    await expect(child.ready).rejects.toThrow('gateway ended 5 times before it was ready; its last lines:\nPORT must be a number');
    expect(ends).toEqual([true, true, true, true, false]);
  });

  test('shuts down gracefully when its parent is killed', async () => {
    const note = join(dataDir, 'note');
    const script = await program('waiting', waiting);
    const parentScript = await program(
      'parent',
      `import { supervise } from 'ours/supervise.ts';
       const child = supervise({ name: 'waiting', script: process.argv[2], args: [process.argv[3]], ready: 'message' });
       await child.ready;
       console.log(child.pid);`,
    );
    const parent = spawn(process.execPath, ['--import', './start/typescript.mjs', parentScript, script, note], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
    parent.kill('SIGKILL');
    await until(async () => (await commandLine(pid)) === '');
    expect(await readFile(note, 'utf8')).toBe(' open closed');
  });
});
