import { type ExecFileOptions, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

export interface Outcome {
  code: number;
  output: string;
}

/** Run a command to its end. Never throws: the exit code and everything it wrote are the answer. */
export function runCommand(command: string, args: string[], options: ExecFileOptions = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(command, args, { ...options, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 127) : 0;
      resolve({ code, output: `${stdout}${stderr}${error && typeof error.code !== 'number' ? error.message : ''}` });
    });
  });
}

/** The command line of a process, or nothing when there is none of that id. */
export async function commandLineOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return (await readProc(pid, 'cmdline'))?.replaceAll('\0', ' ').trim() || undefined;
  const { code, output } = await runCommand('ps', ['-p', String(pid), '-o', 'args=']);
  return code === 0 ? output.trim() || undefined : undefined;
}

/** When a process started: with its id it names one process, although ids are used again. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  // The program's name, in parentheses, may hold spaces; the start is the twentieth field after it.
  if (process.platform === 'linux') return (await readProc(pid, 'stat'))?.split(') ').at(-1)?.split(' ')[19];
  const { code, output } = await runCommand('ps', ['-p', String(pid), '-o', 'lstart=']);
  return code === 0 ? output.trim() || undefined : undefined;
}

/** Small images of Linux have no `ps`. */
function readProc(pid: number, file: 'cmdline' | 'stat'): Promise<string | undefined> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => undefined);
}

/** End a process and wait until it is gone: politely first. */
export async function endProcess(pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (let waited = 0; waited < 5_000; waited += 100) {
      try {
        process.kill(pid, waited === 0 ? signal : 0);
      } catch {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
