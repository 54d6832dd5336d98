import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lastLines } from '../../start/servers/processes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Running {
  pid: number;
  addresses: Record<string, string>;
  /** All output so far. */
  output(): string;
  /** Stop the process gracefully, or kill it. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface StartOptions {
  /** Milliseconds after which a process that is not ready is killed; by default never. */
  readyMs?: number;
  /** Whether the process belongs to another group, so that it does not receive Ctrl-C. */
  detached?: boolean;
  /** Receives the output; by default it stays in memory. */
  logFile?: string;
  /** The folder with the sources; by default this repository. */
  sources?: string;
  /** The program and arguments in front of the script; by default Node, which reads the sources. */
  command?: readonly string[];
  /** The user of the process; by default the current one. */
  account?: { uid?: number; gid?: number };
}

/** Milliseconds that the output of a process may take after its exit. */
const OUTPUT_MS = 5_000;

const fromSources = [process.execPath, '--import', './start/typescript.mjs'];

/** Start a product process like its npm script, and wait until it is ready. */
export async function startProcess(
  script: string,
  args: string[],
  env: Record<string, string>,
  { readyMs, detached, logFile, sources = root, command = fromSources, account }: StartOptions = {},
): Promise<Running> {
  const log = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
  const child = spawn(command[0]!, [...command.slice(1), script, ...args], {
    cwd: sources,
    ...account,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'warn', SHUTDOWN_DELAY: '0', ...env },
    stdio: ['ignore', log, log, 'ipc'],
    detached,
  });
  if (log !== 'pipe') closeSync(log);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const late = readyMs && setTimeout(() => child.kill('SIGKILL'), readyMs);
  const readOutput = () => (logFile === undefined ? output : lastLines(readFileSync(logFile, 'utf8'), 20));
  const addresses = await readiness(child, readOutput).finally(() => clearTimeout(late));
  return {
    pid: child.pid!,
    addresses,
    output: readOutput,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const [exit, outputEnd] = [once(child, 'exit'), once(child, 'close')];
      child.kill(signal);
      await exit;
      // Its last lines can follow its exit. Processes that it started may keep the output open.
      await Promise.race([outputEnd, wait(OUTPUT_MS, undefined, { ref: false })]);
      if (/worker\.(ts|mjs)$/.test(script) && signal === 'SIGTERM') await reportStopped(env);
    },
  };
}

/** Report a stopped worker to the process that runs the tests, which removes what it leaves on the shared Temporal server. */
export async function reportStopped({
  TEMPORAL_ADDRESS: temporalAddress,
  TASK_QUEUE: taskQueue,
}: Record<string, string>): Promise<void> {
  const { TEST_GATEWAYS, TEST_TEMPORAL_ADDRESS } = process.env;
  if (!TEST_GATEWAYS || temporalAddress !== TEST_TEMPORAL_ADDRESS) return;
  await fetch(TEST_GATEWAYS, { method: 'POST', body: JSON.stringify({ stopped: { temporalAddress, taskQueue } }) });
}

async function readiness(child: ChildProcess, output: () => string): Promise<Record<string, string>> {
  const ready = new Promise<Record<string, string>>((resolve, reject) => {
    child.on(
      'message',
      (message: { ready?: boolean; addresses?: Record<string, string> }) => message.ready && resolve(message.addresses ?? {}),
    );
    child.once('exit', (code, signal) =>
      reject(new Error(`The process ended with ${code ?? signal} before it was ready:\n${output()}`)),
    );
  });
  return ready;
}
