import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { textOf } from '../structure/files.ts';
import { allGroups, seedTools } from './mcp.ts';

const page = textOf('docs/mcp.md');

test('the program on the page runs', async () => {
  const { key } = await seedTools();
  const [, program] = /```js\n([\s\S]*?)```/.exec(page)!;
  const env = { ...process.env, MCP_URL: `${process.env.TEST_URL}/mcp`, MCP_KEY: key };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program!], { env });
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toMatch(/^\d\d+ tools$/);
  expect(lines.at(-2)).toBe('1 of 1');
  expect(lines.at(-1)).toMatch(/^(completed|failed|completed_with_errors)$/);
});

test('the page names every group of tools', () => {
  const named = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(named).toEqual(allGroups);
});
