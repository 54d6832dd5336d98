import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The environment without the settings that `npm test` adds, which are about this repository. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD)/.test(name)),
);
const run = promisify(execFile);

/** Run npm in a folder. Rejects with its output when it fails. */
export async function npm(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', args, { cwd: folder, env: environment, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** For tests that install packages; they are skipped without a registry. */
export const hasRegistry = (): boolean => {
  const args = ['view', 'graphql', 'name', '--prefer-online', '--fetch-retries=0', '--fetch-timeout=10000'];
  const isReachable = spawnSync('npm', args, { env: environment, cwd: root }).status === 0;
  if (!isReachable) process.stderr.write('The npm registry cannot be reached, so the tests that install packages are skipped.\n');
  return isReachable;
};
