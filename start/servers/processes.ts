import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { poll, run } from './run.ts';

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
