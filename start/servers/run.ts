import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';

export interface Account {
  uid?: number;
  gid?: number;
}

interface Options extends Account {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
  /** For a program that leaves a server behind: its output is not waited for. */
  silent?: boolean;
  signal?: AbortSignal;
}

/** Run a program to its end. A program that cannot be started, or is cut off, ends with code -1 and the reason as its output. */
export function run(
  command: string,
  args: string[],
  { silent, timeoutMs, ...options }: Options = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const output: Buffer[] = [];
    const child = spawn(command, args, {
      ...options,
      stdio: silent ? 'ignore' : ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => output.push(chunk));
    child.once('error', (error) => resolve({ code: -1, output: error.message }));
    child.once('close', (code, signal) => {
      if (signal) output.push(Buffer.from(`\nended by ${signal}`));
      resolve({ code: code ?? -1, output: Buffer.concat(output).toString() });
    });
  });
}

/** Ask again and again until the answer is something; nothing when the time is over. */
export async function poll<T>(
  ask: () => Promise<T | undefined>,
  { forMs, everyMs = 100 }: { forMs: number; everyMs?: number },
): Promise<T | undefined> {
  const end = Date.now() + forMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || Date.now() > end) return answer;
    await wait(everyMs);
  }
}

/** The last lines of a program's output, for a sentence that says what went wrong. */
export function lastLines(text: string, count = 5): string {
  return text.trim().split(/\r?\n/).slice(-count).join('\n');
}
