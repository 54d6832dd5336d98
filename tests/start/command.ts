import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface CommandResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Run an operator command like its npm script. */
export async function command(name: string, args: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, ['--import', './start/typescript.mjs', `start/${name}.ts`, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: process.env.TEST_DATABASE_URL, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[status], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { status, stdout, stderr };
}
