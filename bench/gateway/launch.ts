import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { lastLines, poll, run } from '../../start/servers/processes.ts';
import { bodyOf } from '../load.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A peer is not available on this machine; the benchmark skips it. */
export class Absent extends Error {
  override name = 'Absent';
}

export interface Launched {
  pid: number;
  /** GraphQL endpoint. */
  url: string;
  stop(): Promise<void>;
}

export interface Place {
  /** File of the composed supergraph. */
  supergraph: string;
  /** Working folder of the peer. */
  folder: string;
  /** The CPU to which gateways are pinned. */
  core?: number;
  /** Folder for CPU profiles of the product's gateway. */
  profile?: string;
  note(text: string): void;
}

export interface Launch {
  command: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
  url: string;
  /** The CPU to pin the process to, if any. */
  core?: number;
}

/** Command that runs one of the project's scripts. */
export const script = (file: string, args: string[], flags: string[] = []) => ({
  command: process.execPath,
  args: [...flags, '--import', './start/typescript.mjs', '--disable-warning=ExperimentalWarning', file, ...args],
});

/** Start a gateway and wait until it responds. */
export async function launch({ command, args, env, cwd = root, url, core }: Launch): Promise<Launched> {
  const line = core === undefined ? [command, ...args] : ['taskset', '-c', String(core), command, ...args];
  const child = spawn(line[0]!, line.slice(1), {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    // With an IPC channel, the product's processes exit when the benchmark exits.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-20_000)));
  }
  child.once('error', (error) => (output += error.message));
  const stop = () => end(child);
  const answered = await poll(() => answers(url, child), { forMs: 30_000 });
  if (answered && !ended(child)) return { pid: child.pid!, url, stop };
  await stop();
  throw new Error(`${[command, ...args].join(' ')} does not answer:\n${lastLines(output, 10)}`);
}

const ended = ({ exitCode, signalCode, pid }: ChildProcess) => pid === undefined || exitCode !== null || signalCode !== null;

async function answers(url: string, child: ChildProcess): Promise<true | undefined> {
  if (ended(child)) return true;
  const target = { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: '{ __typename }' }) };
  return bodyOf(target).then(
    () => true,
    () => undefined,
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (ended(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exit;
  clearTimeout(late);
}

/** Pin this process and its future children to all CPUs but the first, which the gateways use. */
export async function holdApart(cores: number): Promise<boolean> {
  if (cores < 2) return false;
  const { code } = await run('taskset', ['-a', '-p', '-c', `1-${cores - 1}`, String(process.pid)]);
  return code === 0;
}
