import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { textOf } from '../structure/files.ts';

/** The code of a page below a heading, as its readers copy it. */
export function codeOf(page: string, heading: string): string {
  const [, after] = textOf(page).split(`\n### ${heading}\n`);
  return /```\w+\n([\s\S]*?)```/.exec(after!)![1]!;
}

const commands = {
  js: [process.execPath, '--input-type=module', '--eval'],
  python: ['python3', '-c'],
  php: ['php', '-r'],
} as const;

export type Language = keyof typeof commands;

/** Runs the code with what a test adds to it, and returns the JSON that it prints. The input is the variable `INPUT` of the environment. */
export async function runCode(language: Language, code: string, input: unknown): Promise<unknown> {
  const [program, ...args] = commands[language];
  const env = { ...process.env, INPUT: JSON.stringify(input) };
  const { stdout } = await promisify(execFile)(program, [...args, code], { env });
  return JSON.parse(stdout);
}

/** `test`, or `test.skip` with a note if the program of the language is not installed. */
export function testIn(language: Language): typeof test {
  const [program] = commands[language];
  if (spawnSync(program, ['--version']).status === 0) return test;
  console.warn(`${program} is not installed, so its code in docs/agents.md is not checked.`);
  return test.skip as typeof test;
}
