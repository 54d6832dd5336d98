import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';

export interface Account {
  uid?: number;
  gid?: number;
}

interface Options extends Account {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
  /** Do not wait for the output to end; needed for programs that start a background server. */
  silent?: boolean;
  signal?: AbortSignal;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Run a program until it exits, and no longer than this process. If it cannot start or times out, the code is -1 and the output is
 * the reason.
 */
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
    running.add(child);
    child.once('error', (error) => resolve({ code: -1, output: error.message }));
    child.once('close', (code, signal) => {
      running.delete(child);
      if (signal) output.push(Buffer.from(`\nended by ${signal}`));
      resolve({ code: code ?? -1, output: Buffer.concat(output).toString() });
    });
  });
}

/** Poll until the function returns a value. Returns undefined after the timeout. */
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

/** The last lines of a program's output, for an error message. */
export function lastLines(text: string, count = 5): string {
  return text.trim().split(/\r?\n/).slice(-count).join('\n');
}
