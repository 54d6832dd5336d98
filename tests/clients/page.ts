import { type ChildProcess, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, textOf } from '../structure/files.ts';

/** The code of pages, by default those about GraphQL, whose fence has exactly this name, in order. */
export const codeOf = (name: string, pages = ['docs/graphql.md', 'docs/subscriptions.md']): string[] =>
  [
    ...pages
      .map(textOf)
      .join('')
      .matchAll(/```(js.*)\n([\s\S]*?)```/g),
  ]
    .filter(([, fence]) => fence === name)
    .map(([, , code]) => code!);

/** The clients of which the pages have a recipe. */
export const recipes = ['graphql-ws', 'apollo', 'urql', 'relay'] as const;

/** Run a script in a process of its own, until it exits. */
export async function runScript(
  name: string,
  code: string,
  env: Record<string, string>,
  onLine: (line: string, child: ChildProcess) => void = () => {},
): Promise<{ code: number | null; lines: string[] }> {
  // In the project, so that its packages resolve.
  const file = join(root, `node_modules/.cache/${name}.mjs`);
  await writeFile(file, code);
  const child = spawn(process.execPath, [file], { cwd: root, env: { PATH: process.env.PATH, ...env } });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (part: string) => {
      const parts = (rest + part).split('\n');
      rest = parts.pop()!;
      for (const line of parts.filter(Boolean)) {
        lines.push(line);
        onLine(line, child);
      }
    });
  }
  const exit = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await rm(file);
  return { code: exit, lines };
}
