import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { database } from '../support/seed.ts';

const run = promisify(execFile);

const LINES = [
  { input: 'Color: red\nMaterial: oak', category: 'Stool', target_scores: { Color: { red: 1 }, Material: { oak: 1 } } },
  { input: 'Color: green\nA stool', category: 'Stool', target_scores: { Color: { green: 1 }, Material: { 'n/a': 1 } } },
  { input: 'Material: brass', category: 'Lamp', target_scores: { Material: { steel: 1 } } },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evaluate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const evaluate = (...args: string[]) =>
  run(process.execPath, ['--import', './start/typescript.mjs', 'start/evaluate.ts', ...args], {
    env: { ...process.env, DATABASE_URL: process.env.TEST_DATABASE_URL, LOG_LEVEL: 'silent' },
  });

test('lines are read by jobs of a running system, and nothing of them stays', async () => {
  const file = join(folder, 'lines.jsonl');
  await writeFile(file, LINES.map((line) => `${JSON.stringify(line)}\n`).join('\n'));
  const { stdout } = await evaluate(file, '--url', process.env.TEST_URL!);
  expect(stdout).toMatch(/\| Stool +\| +3 \| +3 \| +100\.0 % \| +100\.0 % \| +100\.0 % \|/);
  expect(stdout).toMatch(/\| Lamp +\| +1 \| +0 \| +0\.0 % \|/);
  expect(stdout).toMatch(/\| Confidence \| Found \| +Error \|/);
  const { rows } = await database().query(`select id from identity.organizations where slug like 'evaluation-%'`);
  expect(rows).toEqual([]);
}, 60_000);

test('a limit reads only the first lines', async () => {
  const file = join(folder, 'first.jsonl');
  await writeFile(file, LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { stdout } = await evaluate(file, '--url', process.env.TEST_URL!, '--limit', '2');
  expect(stdout).toContain('| Stool');
  expect(stdout).not.toContain('| Lamp');
}, 60_000);

test('a file that cannot be read is said in one line', async () => {
  const file = join(folder, 'broken.jsonl');
  await writeFile(file, 'no json');
  await expect(evaluate(file, '--url', process.env.TEST_URL!)).rejects.toMatchObject({
    code: 1,
    stderr: `evaluate: ${file}:1: not a JSON object\n`,
  });
});
