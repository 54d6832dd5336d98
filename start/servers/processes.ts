import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

export interface SystemAccount {
  uid?: number;
  gid?: number;
}

interface Options extends SystemAccount {
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

/** The command line of a process; empty if it does not exist or is a zombie. */
export async function commandLine(pid: number): Promise<string> {
  if (!Number.isInteger(pid) || pid <= 0) return '';
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return text.split('\0').join(' ').trim();
  }
  const [command, args]: [string, string[]] =
    process.platform === 'win32'
      ? ['powershell', ['-NoProfile', '-Command', `(Get-CimInstance Win32_Process -Filter "ProcessId=${pid}").CommandLine`]]
      : ['ps', ['-ww', '-o', 'command=', '-p', String(pid)]];
  const { code, output } = await run(command, args, { timeoutMs: 10_000 });
  return code === 0 ? output.trim() : '';
}

/** Start time of a process. Together with the pid it identifies a process, because the system reuses pids. */
export async function startTime(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The program name in parentheses may contain spaces; the start time is the twentieth field after it.
    return text.split(') ').at(-1)?.split(' ')[19];
  }
  const { code, output } = await run('ps', ['-p', String(pid), '-o', 'lstart='], { timeoutMs: 10_000 });
  return code === 0 ? output.trim() || undefined : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Resolves when the process has exited. It need not be a child process. */
export async function processEnd(pid: number): Promise<void> {
  const born = await startTime(pid);
  const lives = async () =>
    process.platform === 'linux' ? (await commandLine(pid)) !== '' && (await startTime(pid)) === born : isAlive(pid);
  while (await lives()) await wait(500, undefined, { ref: false });
}

/** Stop a process whose command line contains this text: first with SIGTERM, then with SIGKILL after a timeout. */
export async function endProcess(pid: number, expected: string, graceMs = 10_000): Promise<void> {
  const gone = async () => ((await commandLine(pid)).includes(expected) ? undefined : true);
  for (const [signal, forMs] of [
    ['SIGTERM', graceMs],
    ['SIGKILL', 5_000],
  ] as const) {
    if (await gone()) return;
    signalProcess(pid, signal);
    if (await poll(gone, { forMs })) return;
  }
  throw new Error(`Process ${pid} does not exit. Stop it manually, then start again.`);
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
