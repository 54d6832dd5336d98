import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../support/database.ts';
import { environmentOf } from '../support/environment.ts';
import { startForwarder } from '../support/forwarder.ts';
import { root } from '../support/npm.ts';
import { type Running, startProcess } from '../support/processes.ts';
import { PATIENCE } from '../support/until.ts';

/** Milliseconds that a process may take from SIGTERM to its end, and as many for a slow machine. Without the limit it would never end. */
const MAX_MS = 2 * 16_000;

// A database of its own, because a worker starts the jobs of its database and would take those of other tests.
const own = await createDatabase();
afterAll(() => own.drop());
const { port, hostname } = new URL(own.url);
const [temporalHost, temporalPort] = process.env.TEST_TEMPORAL_ADDRESS!.split(':');

/** The environment of a process that reaches PostgreSQL and Temporal over connections that can freeze. */
async function frozenSystem() {
  const database = await startForwarder(hostname, Number(port));
  const temporal = await startForwarder(temporalHost!, Number(temporalPort));
  const url = new URL(own.url);
  url.host = `127.0.0.1:${database.port}`;
  const env = environmentOf({ databaseUrl: url.href, temporalAddress: `127.0.0.1:${temporal.port}` });
  return { env, database, temporal, close: () => Promise.all([database.cut(), temporal.cut()]) };
}

/** Ends a process by SIGTERM. Returns the milliseconds that it took, and the parts that it names as late. */
async function endOf(running: Running) {
  const started = performance.now();
  await running.stop();
  const late = [...running.output().matchAll(/"part":"([^"]+)"[^\n]*did not stop in time/g)].map(([, part]) => part);
  return { ms: performance.now() - started, late };
}

test.each([
  ['start/gateway.ts', []],
  ['start/subgraph.ts', ['agent']],
  ['start/worker.ts', []],
])('%s ends in its time while PostgreSQL hangs, and names the parts that did not stop', async (script, args) => {
  const { env, database, close } = await frozenSystem();
  const running = await startProcess(script, args, { ...env, SUBGRAPH_SECRET: 'known-to-the-processes-only' });
  // The connection of notifications waits for the server to end it, unless a ping waits for its answer. The next one follows in five seconds.
  // The ping is the whole statement; others only begin with it.
  await database.freezeAfter('select 1\0');
  const { ms, late } = await endOf(running);
  expect(ms).toBeLessThan(MAX_MS);
  expect(late).not.toEqual([]);
  await close();
});

test('a worker ends in its time while Temporal hangs, and names it', async () => {
  const { env, temporal, close } = await frozenSystem();
  const running = await startProcess('start/worker.ts', [], env);
  temporal.freeze();
  const { ms, late } = await endOf(running);
  expect(ms).toBeLessThan(MAX_MS);
  expect(late.join() + running.output()).toMatch(/activities of jobs-|worker connection/);
  await close();
});

/** Runs a module until it prints `ready`, and ends it by SIGTERM. */
async function endScript(body: string) {
  const args = ['--import', './start/typescript.mjs', '--input-type=module', '-e', body];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (text.includes('ready')) child.kill('SIGTERM');
  });
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  const [code] = await once(child, 'close');
  clearTimeout(late);
  return { code, output };
}

test('threads that are stuck in the system do not hold up the end of a process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-graph-stuck-'));
  const pipe = join(folder, 'pipe');
  // Opening it waits for a writer, like a file on a hung disk or the lookup of a name on a silent server.
  execFileSync('mkfifo', [pipe]);
  const { code } = await endScript(`
    import { open } from 'node:fs';
    import { Worker } from 'node:worker_threads';
    import { closeOnce } from './start/servers/signals.ts';
    open(${JSON.stringify(pipe)}, 'r', () => {});
    new Worker('require("fs").openSync(' + JSON.stringify(${JSON.stringify(pipe)}) + ')', { eval: true, execArgv: [] }).once('online', () => {
      closeOnce(1_000, async () => {});
      setTimeout(() => console.log('ready'), 100);
    });`);
  expect(code).toBe(0);
  rmSync(folder, { recursive: true });
});

test('a process whose parts do not stop ends with a line that names them', async () => {
  const { code, output } = await endScript(`import './tests/start/stuck-parts.ts'`);
  expect(code).toBe(1);
  expect(output).toMatch(/"part":"lamp"[^\n]*did not stop in time/);
  expect(output).toMatch(/late: lamp,window/);
});
