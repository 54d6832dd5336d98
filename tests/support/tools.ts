import { spawnSync } from 'node:child_process';

/** Whether a command succeeds, for tests that need a program which npm does not install. Notes on standard error that `tests` are skipped without it. */
export function hasTool(tests: string, program: string, command: readonly [string, ...string[]]): boolean {
  const [file, ...args] = command;
  const isInstalled = spawnSync(file, args).status === 0;
  if (!isInstalled) process.stderr.write(`skipped  ${tests}: install ${program} to run them\n`);
  return isInstalled;
}
