import { open } from 'node:fs/promises';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Word, words } from '../schema/words.ts';
import { Closers } from './closers.ts';
import { type AnnotatedFile, readLines } from './evaluation/lines.ts';
import { comparison, report, resultLines } from './evaluation/report.ts';
import { connectSystem, startTemporarySystem, temporaryOrganization } from './evaluation/system.ts';
import { makeRecords, runJobs } from './evaluation/work.ts';
import { describeError } from './process.ts';

const whole = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('The limit must be a whole number above 0.');
  return Number(text);
};

const command = new Command('evaluate')
  .description('Measure the accuracy of enrichment on annotated texts.')
  .argument('<file>', 'JSON lines of {"input", "category", "target_scores"}')
  .option('--limit <lines>', 'read at most this many lines, evenly distributed over the categories', whole)
  .option('--examples <file>', 'annotated lines that become accepted products; each line is enriched without and with them')
  .option('--out <file>', 'write the results to this file, as JSON lines')
  .addOption(new Option('--model <tier>').choices(words.ModelType.values).default('budget-v1'))
  .option('--url <address>', 'URL of a running system (also set its DATABASE_URL); by default a temporary system is started')
  .parse();
const [file] = command.args as [string];
interface Options {
  limit?: number;
  examples?: string;
  model: Word<'ModelType'>;
  url?: string;
  out?: string;
}
const { limit, examples, model, url, out } = command.opts<Options>();

const closers = new Closers();
let ending: Promise<void> | undefined;
const end = (code: number): Promise<void> => {
  ending ??= closers.closeAll().then(() => process.exit(code));
  return ending;
};
const fail = (error: unknown): Promise<void> => {
  if (!ending) process.stderr.write(`evaluate: ${describeError(error)}\n`);
  return end(1);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(1));

try {
  const { lines, definitions } = await readLines(file, limit);
  const none: AnnotatedFile = { lines: [], definitions: {} };
  const taught = examples === undefined ? none : await readLines(examples);
  // Open the output first, so that an unwritable path fails before the evaluation.
  const target = out === undefined ? undefined : await open(out, 'w');
  const system = url
    ? await connectSystem(url, closers)
    : await startTemporarySystem(closers, { onStep: (text) => process.stderr.write(`${text}\n`), onFailed: fail });
  const api = await temporaryOrganization(system, closers);
  const teaching = { examples: taught.lines, definitions: { ...taught.definitions, ...definitions } };
  const records = await makeRecords(api, lines, teaching);
  const runWith = async (useExamples: boolean) => {
    const bar = new SingleBar({ format: '  Reading {bar} {value}/{total} lines', hideCursor: true, noTTYOutput: true });
    bar.start(lines.length, 0);
    const run = await runJobs(api, lines, records, { modelType: model, useExamples }, (finished) => bar.update(finished));
    bar.stop();
    return run;
  };
  const alone = taught.lines.length > 0 ? await runWith(false) : undefined;
  const run = await runWith(true);
  await target?.writeFile(resultLines(lines, run.results));
  await target?.close();
  const { text, failures } = report(lines, run.results);
  if (alone && text) process.stdout.write(`\n${comparison(lines, { 'Without examples': alone, 'With examples': run })}\n`);
  if (text) process.stdout.write(`\n${text}\n`);
  for (const failure of failures) process.stderr.write(`evaluate: ${failure}\n`);
  await end(failures.length > 0 ? 1 : 0);
} catch (error) {
  await fail(error);
}
