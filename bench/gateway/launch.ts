import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { lastLines, poll, run } from '../../start/servers/run.ts';
import { bodyOf } from '../load.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A peer cannot be had on this machine; the others are measured without it. */
export class Absent extends Error {
  override name = 'Absent';
}

export interface Launched {
  pid: number;
  /** Where it answers GraphQL. */
  url: string;
  stop(): Promise<void>;
}

export interface Place {
  /** The composed supergraph, as a file. */
  supergraph: string;
  /** A folder for what a peer writes. */
  folder: string;
  /** The processor that gateways are held to. */
  core?: number;
  /** Folder for the CPU profiles of ours. */
  profile?: string;
  note(text: string): void;
}

export interface Launch {
  command: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
  url: string;
  /** The processor it may use, if it is to be held to one. */
  core?: number;
}

/** What runs one of our own scripts. */
export const script = (file: string, args: string[], flags: string[] = []) => ({
  command: process.execPath,
  args: [...flags, '--import', './start/typescript.mjs', '--disable-warning=ExperimentalWarning', file, ...args],
});

/** Start a gateway and wait until it answers. */
export async function launch({ command, args, env, cwd = root, url, core }: Launch): Promise<Launched> {
  const line = core === undefined ? [command, ...args] : ['taskset', '-c', String(core), command, ...args];
  const child = spawn(line[0]!, line.slice(1), {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    // With a channel, ours end when the bench is gone.
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

/** Hold this process, and what it starts from now on, to the processors from the second on; peers get the first. */
export async function holdApart(cores: number): Promise<boolean> {
  if (cores < 2) return false;
  const { code } = await run('taskset', ['-a', '-p', '-c', `1-${cores - 1}`, String(process.pid)]);
  return code === 0;
}
