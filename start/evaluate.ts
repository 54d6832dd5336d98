import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Word, words } from '../schema/words.ts';
import { Closers } from './closers.ts';
import { readLines } from './evaluation/lines.ts';
import { score } from './evaluation/score.ts';
import { startOwn, temporaryOrganization, useRunning } from './evaluation/system.ts';
import { tables } from './evaluation/table.ts';
import { findAll } from './evaluation/work.ts';
import { sentenceOf } from './process.ts';

const whole = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('A limit is a whole number above 0.');
  return Number(text);
};

const command = new Command('evaluate')
  .description('Measure what enrichment finds in annotated texts, by the path every job takes.')
  .argument('<file>', 'lines of {"input", "category", "target_scores"}')
  .option('--limit <lines>', 'read only the first lines', whole)
  .addOption(new Option('--model <tier>').choices(words.ModelType.values).default('budget-v1'))
  .option('--url <address>', 'a running system, whose DATABASE_URL is given too; one is started for the while when absent')
  .parse();
const [file] = command.args as [string];
const { limit, model, url } = command.opts<{ limit?: number; model: Word<'ModelType'>; url?: string }>();

const closers = new Closers();
let ending: Promise<void> | undefined;
const end = (code: number): Promise<void> => {
  ending ??= closers.closeAll().then(() => process.exit(code));
  return ending;
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(1));

try {
  const lines = await readLines(file, limit);
  const system = url ? await useRunning(url, closers) : await startOwn(closers, (text) => process.stderr.write(`${text}\n`));
  const api = await temporaryOrganization(system, closers);
  const bar = new SingleBar({ format: '  Reading {bar} {value}/{total} lines', hideCursor: true, noTTYOutput: true });
  bar.start(lines.length, 0);
  const found = await findAll(api, lines, model, (finished) => bar.update(finished));
  bar.stop();
  process.stdout.write(`\n${tables(score(lines, found))}\n`);
  await end(0);
} catch (error) {
  if (!ending) process.stderr.write(`evaluate: ${sentenceOf(error)}\n`);
  await end(1);
}
