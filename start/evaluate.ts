import { open } from 'node:fs/promises';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type EnumValue, enums } from '../schema/enums.ts';
import { calibrationTables, comparison, report, resultLines } from './evaluation/evaluation-report.ts';
import { type AnnotatedFile, type AnnotatedText, readLines, splitLines } from './evaluation/lines.ts';
import { connectSystem, startTemporarySystem, temporaryOrganization } from './evaluation/system.ts';
import { makeRecords, reviewResults, runJobs } from './evaluation/work.ts';
import { Closers } from './process/closers.ts';
import { describeError } from './process/run.ts';
import { LINE_MS, printSteps } from './process/terminal.ts';

const whole = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('The limit must be a whole number above 0.');
  return Number(text);
};

const fraction = (text: string): number => {
  const part = Number(text);
  if (!(part > 0 && part < 1)) throw new InvalidArgumentError('The part must be a number between 0 and 1.');
  return part;
};

const command = new Command('evaluate')
  .description('Measure the accuracy of enrichment on annotated texts.')
  .argument('<file>', 'JSON lines of {"input", "category", "target_scores"}')
  .option('--limit <lines>', 'read at most this many lines, evenly distributed over the categories', whole)
  .option('--examples <file>', 'annotated lines that become accepted products; each line is enriched without and with them')
  .option(
    '--calibrate <part>',
    'enrich and review this part of the lines first, for example 0.5; the tables cover the rest',
    fraction,
  )
  .option('--out <file>', 'write the results to this file, as JSON lines')
  .addOption(new Option('--model <tier>').choices(enums.ModelType.values).default('budget-v1'))
  .option('--url <address>', 'URL of a running system (also set its DATABASE_URL); by default a temporary system is started')
  .parse();
const [file] = command.args as [string];
interface Options {
  limit?: number;
  examples?: string;
  calibrate?: number;
  model: EnumValue<'ModelType'>;
  url?: string;
  out?: string;
}
const { limit, examples, calibrate, model, url, out } = command.opts<Options>();

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
  const { lines: all, definitions } = await readLines(file, limit);
  const { chosen: reviewed, rest: lines } = splitLines(all, calibrate ?? 0);
  if (lines.length === 0) throw new Error('No lines remain after the reviewed part');
  const none: AnnotatedFile = { lines: [], definitions: {} };
  const taught = examples === undefined ? none : await readLines(examples);
  // Open the output first, so that an unwritable path fails before the evaluation.
  const target = out === undefined ? undefined : await open(out, 'w');
  const steps = printSteps((text) => process.stderr.write(`${text}\n`));
  const system = url
    ? await connectSystem(url, closers)
    : await startTemporarySystem(closers, { onStep: steps.onStep, onFailed: fail });
  steps.end();
  const api = await temporaryOrganization(system, closers);
  const teaching = { examples: taught.lines, definitions: { ...taught.definitions, ...definitions } };
  const records = await makeRecords(api, [...reviewed, ...lines], teaching);
  const runWith = async (part: readonly AnnotatedText[], ids: string[], useExamples: boolean) => {
    const bar = new SingleBar({
      format: '  Reading {bar} {value}/{total} lines',
      hideCursor: true,
      noTTYOutput: true,
      notTTYSchedule: LINE_MS,
    });
    bar.start(part.length, 0);
    const run = await runJobs(api, part, { ...records, ids }, { modelType: model, useExamples }, (finished) =>
      bar.update(finished),
    );
    bar.stop();
    return run;
  };
  if (reviewed.length > 0) {
    const first = await runWith(reviewed, records.ids.slice(0, reviewed.length), true);
    await reviewResults(api, reviewed, first.results, records.attributes);
  }
  const ids = records.ids.slice(reviewed.length);
  const alone = taught.lines.length > 0 ? await runWith(lines, ids, false) : undefined;
  const run = await runWith(lines, ids, true);
  await target?.writeFile(resultLines(lines, run.results));
  await target?.close();
  const { text, failures } = report(lines, run.results);
  if (alone && text) process.stdout.write(`\n${comparison(lines, { 'Without examples': alone, 'With examples': run })}\n`);
  if (calibrate !== undefined && text) process.stdout.write(`\n${calibrationTables(lines, run)}\n`);
  if (text) process.stdout.write(`\n${text}\n`);
  for (const failure of failures) process.stderr.write(`evaluate: ${failure}\n`);
  await end(failures.length > 0 ? 1 : 0);
} catch (error) {
  await fail(error);
}
