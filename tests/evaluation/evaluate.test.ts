import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

test('jobs of a running system process the lines, and their data is deleted', async () => {
  const file = join(folder, 'lines.jsonl');
  await writeFile(file, LINES.map((line) => `${JSON.stringify(line)}\n`).join('\n'));
  const { stdout } = await evaluate(file, '--url', process.env.TEST_URL!);
  expect(stdout).toMatch(/\| Stool +\| +3 \| +3 \| +100\.0 % \| +100\.0 % \| +100\.0 % \|/);
  expect(stdout).toMatch(/\| Lamp +\| +1 \| +0 \| +0\.0 % \|/);
  expect(stdout).toMatch(/\| Confidence \| Found \| +Error \|/);
  const { rows } = await database().query(`select id from identity.organizations where slug like 'evaluation-%'`);
  expect(rows).toEqual([]);
});

test('a limit selects lines of all categories, and a file gets the result of each', async () => {
  const file = join(folder, 'first.jsonl');
  const out = join(folder, 'results.jsonl');
  await writeFile(file, LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { stdout } = await evaluate(file, '--url', process.env.TEST_URL!, '--limit', '2', '--out', out);
  expect(stdout).toMatch(/\| Stool +\| +2 \|/);
  expect(stdout).toMatch(/\| Lamp +\| +1 \|/);
  const results = (await readFile(out, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  const measured = { confidence: expect.any(Number), statedConfidence: expect.any(Number), score: expect.any(Number) };
  expect(results).toEqual([
    {
      line: 1,
      category: 'Stool',
      input: LINES[0]!.input,
      expected: { Color: ['red'], Material: ['oak'] },
      found: { Color: { value: 'red', ...measured, right: true }, Material: { value: 'oak', ...measured, right: true } },
    },
    {
      line: 3,
      category: 'Lamp',
      input: LINES[2]!.input,
      expected: { Material: ['steel'] },
      found: { Material: { value: 'brass', ...measured, right: false } },
    },
  ]);
});

test('lines with provider failures are reported, excluded from the score, and fail the command', async () => {
  const file = join(folder, 'refused.jsonl');
  const out = join(folder, 'refused-results.jsonl');
  const refused = { ...LINES[2]!, input: 'Material: brass [[provider: 401 9]]' };
  await writeFile(file, [LINES[0]!, refused].map((line) => `${JSON.stringify(line)}\n`).join(''));
  const failed = evaluate(file, '--url', process.env.TEST_URL!, '--out', out);
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^evaluate: 1 of 2 lines failed: .+$/m) });
  const { stdout } = await failed.catch((error: { stdout: string }) => error);
  expect(stdout).toContain('| Stool');
  expect(stdout).not.toContain('| Lamp');
  expect(await readFile(out, 'utf8')).toMatch(/"line":2,.*"error":"/);
});

test('without any processed line there is no score', async () => {
  const file = join(folder, 'all-refused.jsonl');
  await writeFile(file, JSON.stringify({ ...LINES[2]!, input: 'Material: brass [[provider: 401 9]]' }));
  const failed = evaluate(file, '--url', process.env.TEST_URL!);
  await expect(failed).rejects.toMatchObject({ code: 1, stdout: expect.not.stringContaining('%') });
});

test('an unwritable output file fails before the evaluation starts', async () => {
  const file = join(folder, 'written.jsonl');
  await writeFile(file, JSON.stringify(LINES[0]));
  const out = join(folder, 'nowhere', 'results.jsonl');
  await expect(evaluate(file, '--url', process.env.TEST_URL!, '--out', out)).rejects.toMatchObject({ code: 1, stdout: '' });
});

test('a malformed input file is reported in one line', async () => {
  const file = join(folder, 'broken.jsonl');
  await writeFile(file, 'no json');
  await expect(evaluate(file, '--url', process.env.TEST_URL!)).rejects.toMatchObject({
    code: 1,
    stderr: `evaluate: ${file}:1: not a JSON object\n`,
  });
});

test('examples teach values that no label states, and one table compares both runs', async () => {
  const file = join(folder, 'titles.jsonl');
  const taught = join(folder, 'taught.jsonl');
  const title = (input: string, brand: string) => ({ input, category: 'Lamp', target_scores: { Brand: { [brand]: 1 } } });
  const definitions = { attributes: { Brand: { description: 'The maker of the lamp.', examples: ['Norvik'] } } };
  const examples = [definitions, title('Norvik desk lamp', 'Norvik'), title('Halden floor lamp', 'Halden')];
  await writeFile(taught, examples.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await writeFile(file, JSON.stringify(title('Halden desk lamp', 'Halden')));
  const { stdout } = await evaluate(file, '--url', process.env.TEST_URL!, '--examples', taught);
  expect(stdout).toMatch(/\| Without examples \| +– \| +0\.0 % \| +0\.0 % \|/);
  expect(stdout).toMatch(/\| With examples +\| +100\.0 % \| +100\.0 % \| +100\.0 % \| +1\.00 \|/);
});
