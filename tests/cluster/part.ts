import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { lastLines, type SystemAccount } from '../../start/servers/processes.ts';

/** A running process of the cluster. */
export interface Process {
  pid: number;
  /** Send a signal and wait until the process has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A process of the cluster that can be replaced by another one at the same address. */
export class Part {
  #launching: Promise<Process> | undefined;
  #pid: number | undefined;

  constructor(
    readonly name: string,
    private readonly launch: () => Promise<Process>,
  ) {}

  /** The kind of its process: the name without the number. */
  get kind(): string {
    return this.name.replace(/-\d+$/, '');
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  async start(): Promise<void> {
    this.#launching = this.launch();
    this.#pid = (await this.#launching).pid;
  }

  /** Also ends a process that is starting. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const running = await this.#launching?.catch(() => undefined);
    this.#pid = undefined;
    await running?.stop(signal);
  }

  /** Stop the process by this signal, and start another one. */
  async replace(signal?: NodeJS.Signals): Promise<void> {
    await this.stop(signal);
    await this.start();
  }
}

interface LaunchOptions {
  command: string;
  args: string[];
  logFile: string;
  /** Resolves when the program serves. */
  ready: () => Promise<unknown>;
  account?: SystemAccount;
  cwd?: string;
}

const STOP_MS = 20_000;

/** Start a program that is not part of the product, and wait until it serves. Throws with the end of its log if it exits before. */
export async function launch({ command, args, logFile, ready, account, cwd }: LaunchOptions): Promise<Process> {
  const log = openSync(logFile, 'a');
  // A process group of its own: on Ctrl-C the cluster stops its processes in order.
  const child = spawn(command, args, { stdio: ['ignore', log, log], detached: true, cwd, ...account });
  closeSync(log);
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', async (code, signal) => {
      const text = lastLines(await readFile(logFile, 'utf8').catch(() => ''), 8);
      reject(new Error(`${command} ended with ${code ?? signal}:\n${text.replace(/^(.{300}).+$/gm, '$1…')}`));
    });
  });
  failed.catch(() => {});
  await Promise.race([ready(), failed]).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return { pid: child.pid!, stop: (signal) => stopChild(child, signal) };
}

async function stopChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exit;
  clearTimeout(late);
}
