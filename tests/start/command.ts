import { spawnSync } from 'node:child_process';

/** Run an operator command like its npm script. */
export const command = (name: string, args: string[]) =>
  spawnSync(process.execPath, ['--import', './start/typescript.mjs', `start/${name}.ts`, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: process.env.TEST_DATABASE_URL, LOG_LEVEL: 'warn' },
  });
