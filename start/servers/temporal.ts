import { spawn } from 'node:child_process';
import { chmod, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { cacheFolder } from './folders.ts';
import { freePort, storedPort } from './ports.ts';
import { endProcess, lastLines, run } from './processes.ts';

export interface Temporal {
  /** host:port of the frontend. */
  address: string;
  uiUrl: string;
  ports: { port: number; uiPort: number };
  pid: number;
  /** Resolves when the server process has exited. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

interface TemporalOptions {
  dataDir: string;
  /** Required ports; by default the previous ones, or others if they are in use. */
  ports?: Temporal['ports'];
  /** The Temporal CLI; found or installed by default. */
  program?: string;
  /** Milliseconds after which a server that does not answer is replaced; default one minute. */
  readyMs?: number;
  onStep?: (text: string) => void;
}

const attributes = ['Organization', 'Kind', 'JobStatus'];

const dynamic = {
  // On one machine more partitions only spread the polls.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // Eager activities reach the worker in the response of the workflow task, which saves server work.
  'system.enableActivityEagerExecution': true,
  'frontend.namespaceRPS': 20_000,
  'frontend.rps': 20_000,
  'history.rps': 20_000,
  'matching.rps': 20_000,
};

/**
 * With the defaults of SQLite, each step of a workflow waits for several writes to reach the disk. If the machine fails, the last steps
 * may now be lost; the product then restarts the workflows of open jobs, and its activities are idempotent.
 */
const pragmas = { journal_mode: 'WAL', synchronous: 'NORMAL' };

const settings = [
  ...['--log-level', 'warn'],
  ...Object.entries(pragmas).flatMap(([name, value]) => ['--sqlite-pragma', `${name}=${value}`]),
  ...attributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
  ...Object.entries(dynamic).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]),
];

/** Start the Temporal dev server with its UI and a database file. Stops a server that survived a killed process first. */
export async function startTemporal({
  dataDir,
  ports,
  program,
  readyMs = 60_000,
  onStep = () => {},
}: TemporalOptions): Promise<Temporal> {
  const [database, pidFile, logFile] = ['temporal.db', 'temporal.pid', 'temporal.log'].map((name) => join(dataDir, name)) as [
    string,
    string,
    string,
  ];
  const cli = program ?? (await findTemporal(onStep));
  await endLast(pidFile, database);

  const port = ports?.port ?? (await storedPort(join(dataDir, 'temporal.port')));
  const uiPort = ports?.uiPort ?? (await storedPort(join(dataDir, 'temporal-ui.port'), 8233));
  const address = `127.0.0.1:${port}`;
  const command = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)];
  const args = [...command, '--db-filename', database, ...settings];
  const { child, exited } = await launch({ program: cli, args, logFile, pidFile, address, readyMs });
  return {
    address,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    ports: { port, uiPort },
    pid: child.pid!,
    ended: () => exited.catch(() => {}),
    async stop() {
      await endProcess(child.pid!, database);
      await rm(pidFile, { force: true });
    },
  };
}

/**
 * The server chooses ports for its internal services before it binds them, so another process may take one in between. Then it exits, or
 * it runs but never answers.
 */
const ATTEMPTS = 3;
const CALL_MS = 2_000;
/** Connections to one address share a back-off of up to two minutes, in which they do not notice that the server is ready. */
const UNSHARED = { 'grpc.use_local_subchannel_pool': 1 };

interface LaunchOptions {
  program: string;
  args: string[];
  logFile: string;
  pidFile: string;
  address: string;
  readyMs: number;
}

/** Start the process and wait until it is ready. */
async function launch(options: LaunchOptions, attempt = 1) {
  const { program, args, logFile, pidFile, address, readyMs } = options;
  const log = await open(logFile, 'a');
  // Use a separate process group, because on Ctrl-C the parent stops its children in order.
  const child = spawn(program, [...args, '--metrics-port', String(await freePort())], {
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  // Before any wait, because the process can exit at once.
  const exited = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', async () => reject(new Error(`The Temporal dev server exited: ${await lastError(logFile)}`)));
  });
  exited.catch(() => {});
  await log.close();
  await writeFile(pidFile, String(child.pid));
  const waiting = new AbortController();
  try {
    await Promise.race([ready(address, readyMs, waiting.signal), exited]);
    return { child, exited };
  } catch (error) {
    if (child.pid === undefined) throw error;
    child.kill('SIGKILL');
    await exited.catch(() => {});
    if (attempt === ATTEMPTS) throw error;
    return launch(options, attempt + 1);
  } finally {
    waiting.abort();
  }
}

/** Checks the database file in the command line, because the system reuses pids. */
async function endLast(pidFile: string, database: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => '0'));
  if (pid > 0) await endProcess(pid, database);
}

/** Resolves when the server answers; rejects after `forMs` or when the signal aborts. */
async function ready(address: string, forMs: number, signal: AbortSignal): Promise<void> {
  for (const end = Date.now() + forMs; ; ) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: CALL_MS, channelArgs: UNSHARED });
      await connection
        .withDeadline(Date.now() + CALL_MS, () => connection.workflowService.describeNamespace({ namespace: 'default' }))
        .finally(() => connection.close());
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (Date.now() > end) throw new Error(`The Temporal dev server did not answer within ${forMs / 1_000} s`, { cause: error });
      await wait(200);
    }
  }
}

/** The last line that names an error, because a stack trace may follow it. */
async function lastError(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n');
  return lines.findLast((line) => /error|panic|fatal/i.test(line)) ?? lines.at(-1)!;
}

const VERSION = 'v1.5.1';
const EXE = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
type Step = (text: string) => void;

/** Find the Temporal CLI: on the PATH, in the cache, by the SDK's download, or built with Go. Throws an error that lists the options. */
export async function findTemporal(onStep: Step = () => {}): Promise<string> {
  const folder = join(cacheFolder(), 'temporal');
  await mkdir(folder, { recursive: true });
  const found =
    (await working('temporal')) ??
    (await working(join(folder, EXE))) ??
    (await downloaded(folder)) ??
    (await download(folder, onStep)) ??
    (await build(folder, onStep));
  if (found) return found;
  throw new Error(
    'No Temporal server: the Temporal CLI is not installed, and the download and the build with Go failed. ' +
      'Install the Temporal CLI or Go, or set TEMPORAL_ADDRESS to an existing server.',
  );
}

async function working(program: string): Promise<string | undefined> {
  const { code } = await run(program, ['--version'], { timeoutMs: 15_000 });
  return code === 0 ? program : undefined;
}

/** A previous download of the SDK, which chooses the file name. */
async function downloaded(folder: string): Promise<string | undefined> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith('temporal-sdk-') && (await stat(path)).isFile()) {
      const program = await working(path);
      if (program) return program;
    }
  }
  return undefined;
}

async function download(folder: string, onStep: Step): Promise<string | undefined> {
  onStep('Downloading the Temporal dev server');
  const script = `
    import { TestWorkflowEnvironment } from '@temporalio/testing';
    const env = await TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'cached-download', downloadDir: process.argv[1] } } });
    await env.teardown();
    process.exit(0);`;
  // Use a separate process, because the SDK's download cannot be canceled.
  const stalled = new AbortController();
  const watch = watchGrowth(folder, () => stalled.abort());
  await run(process.execPath, ['--input-type=module', '-e', script, folder], {
    signal: stalled.signal,
    cwd: join(import.meta.dirname, '..', '..'),
  });
  clearInterval(watch);
  return downloaded(folder);
}

/** Tolerates a slow network, but not an unresponsive one. */
function watchGrowth(folder: string, onStalled: () => void): NodeJS.Timeout {
  let [last, at] = [-1, Date.now()];
  return setInterval(async () => {
    const files = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name)).catch(() => undefined)));
    const size = files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
    if (size !== last) [last, at] = [size, Date.now()];
    if (Date.now() - at > 15_000) onStalled();
  }, 1_000);
}

async function build(folder: string, onStep: Step): Promise<string | undefined> {
  if ((await run('go', ['version'])).code !== 0) return undefined;
  onStep('Building the Temporal dev server with Go (about 3 minutes, once)');
  const built = await run('go', ['install', `github.com/temporalio/cli/cmd/temporal@${VERSION}`], {
    env: { ...process.env, GOBIN: folder },
    timeoutMs: 20 * 60_000,
  });
  if (built.code !== 0) return void onStep(`Go failed to build it: ${lastLines(built.output, 1)}`);
  await chmod(join(folder, EXE), 0o755);
  return working(join(folder, EXE));
}
