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

const lineOf = (file: string, text: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((each) => each.includes(text)) + 1;

test('a stack trace names the line of the source', async () => {
  const source = join(root, 'schema', 'json.ts');
  const place = `${source}:${lineOf(source, 'const parseExactly')}:`;
  expect(await evaluate(`stackOf(() => parseExactly('{'))`)).toContain(`at parseExactly (${place}`);
});

test('the stack trace of a test names its line', () => {
  const { stack } = new Error('found here');
  expect(stack).toContain(`${import.meta.filename}:${lineOf(import.meta.filename, "new Error('found here')")}:`);
});

test.each(['file:///a%2Fb.ts', 'file://host/b.ts', 'file:///b.ts', 'file:b.ts'])(
  'code at %s, which names no source, has a stack trace, too',
  async (url) => {
    const stack = await evaluate(`runInThisContext('new Error("no").stack', { filename: ${JSON.stringify(url)} })`);
    expect(stack).toMatch(/^Error: no\n {4}at /);
    expect(stack).toContain(url);
  },
);

test('errors of Node keep their code', async () => {
  expect(await evaluate(`stackOf(() => Buffer.alloc('one'))`)).toMatch(/^TypeError \[ERR_INVALID_ARG_TYPE\]: The "size" argument/);
});

test.each([`Symbol('a')`, 'Object.create(null)'])('an error whose code is %s has a stack trace, too', async (code) => {
  const expression = `stackOf(() => { const error = new Error('no'); error.code = ${code}; throw error; })`;
  expect(await evaluate(expression)).toMatch(/^Error: no\n {4}at /);
});
