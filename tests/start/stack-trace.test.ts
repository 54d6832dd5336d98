import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../support/npm.ts';

/** Evaluates an expression in a process with `start/typescript.mjs`, and returns what it prints. */
async function evaluate(expression: string): Promise<string> {
  const script = `import { parseExactly } from './schema/json.ts';
    import { runInThisContext } from 'node:vm';
    const stackOf = (work) => { try { work(); } catch ({ stack }) { return stack; } };
    console.log(${expression});`;
  const args = ['--import', './start/typescript.mjs', '--input-type=module', '--eval', script];
  return (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout.trim();
}

test('a stack trace names the line of the source', async () => {
  const source = join(root, 'schema', 'json.ts');
  const line =
    readFileSync(source, 'utf8')
      .split('\n')
      .findIndex((each) => each.includes('const parseExactly')) + 1;
  expect(await evaluate(`stackOf(() => parseExactly('{'))`)).toContain(`at parseExactly (${source}:${line}:`);
});

test.each(['file:///a%2Fb.ts', 'file://host/b.ts', 'file:///b.ts', 'file:b.ts'])(
  'code at %s, which names no source, has a stack trace, too',
  async (url) => {
    const stack = await evaluate(`runInThisContext('new Error("no").stack', { filename: ${JSON.stringify(url)} })`);
    expect(stack).toMatch(/^Error: no\n {4}at /);
    expect(stack).toContain(url);
  },
);
