import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { isObject } from '../schema/json.ts';
import { grid, percent } from './evaluation/evaluation-report.ts';
import type { World } from './evaluation/simulated-organization.ts';
import { openSimulation, simulate } from './evaluation/simulation.ts';
import { compareMethods, type ScoredValue, SPLITS, simulateDrift } from './evaluation/splits.ts';
import { Closers } from './process/closers.ts';
import { describeError } from './process/run.ts';

const command = new Command('evaluate:acceptance')
  .description(
    'Measure on the results of evaluations how many values rules accept without a person, and how many of these are right.',
  )
  .argument('[files...]', 'results that `npm run evaluate -- --out` wrote')
  .option(
    '--simulate <count>',
    'simulate so many organizations of each kind with the functions of the product, on a temporary database',
    Number,
  )
  .parse();

const PRECISIONS = [0.8, 0.9, 0.95, 0.98];
const AUDIT_SHARE = 0.05;

const WORLDS: (Omit<World, 'precision'> & { name: string })[] = [
  { name: 'Usual', kind: 'usual', attributes: 8, jobs: 30, hasDrift: false },
  { name: 'Worst', kind: 'worst', attributes: 8, jobs: 30, hasDrift: false },
  { name: 'Drift', kind: 'usual', attributes: 8, jobs: 50, hasDrift: true },
];

/** The annotated values of a file. Throws an error that names a malformed line. */
function readValues(path: string): ScoredValue[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line, at): ScoredValue[] => {
    if (line.trim() === '') return [];
    try {
      const { found = {} } = JSON.parse(line) as { found?: Record<string, Record<string, unknown>> };
      if (!isObject(found)) throw new Error('"found" is not an object');
      return Object.entries(found).flatMap(([attribute, { score, statedConfidence: stated, right }]) => {
        if (right === null) return [];
        if (typeof score !== 'number' || typeof stated !== 'number' || typeof right !== 'boolean')
          throw new Error(`"${attribute}" has no score, confidence or judgment`);
        return [{ attribute, score, stated, right }];
      });
    } catch (error) {
      throw new Error(`${path}:${at + 1}: ${describeError(error)}`);
    }
  });
}

/** Tables of the rules on the values of files. */
function measure(values: readonly ScoredValue[]): string {
  const names = { rules: 'Rules', fixed: 'Confidence of 90', calibrated: 'Calibration alone' };
  const compared = PRECISIONS.flatMap((precision) => {
    const outcomes = compareMethods(values, precision);
    return Object.entries(names).map(([method, name]) => {
      const { missed, empty, coverage, precision: reached } = outcomes[method as keyof typeof names];
      return [
        `${percent(precision)}, ${name}`,
        `${SPLITS - missed} of ${SPLITS}`,
        String(empty),
        percent(coverage),
        percent(reached),
      ];
    });
  });
  const drifts = PRECISIONS.map((precision) => {
    const { before, after, wrong, audits, isStopped } = simulateDrift(values, precision, AUDIT_SHARE);
    const result = before + after === 0 ? 'nothing accepted' : isStopped ? 'yes' : 'no';
    return [percent(precision), ...[before, after, wrong, audits].map(String), result];
  });
  return `${values.length} values\n\n${grid([['Precision', 'Not missed', 'Accepted nothing', 'Coverage', 'Right'], ...compared])}\n\n${grid(
    [['Precision', 'Accepted before', 'Accepted after', 'Wrong after', 'Audits', 'Stopped'], ...drifts],
  )}\n`;
}

/** A table of simulated organizations. */
async function simulateWorlds(count: number): Promise<string> {
  const services = await openSimulation(closers, (text) => process.stderr.write(`${text}\n`));
  const rows: string[][] = [];
  for (const { name, ...world } of WORLDS)
    for (const precision of [0.9, 0.95]) {
      const found = await simulate(services, { ...world, precision }, count);
      const { accepting, reached, reachedCounted, coverage, judged, late, breaks } = found;
      rows.push([
        ...[`${name}, ${percent(precision)}`, String(accepting), `${reached} of ${count}`, `${reachedCounted} of ${count}`],
        ...[percent(coverage), percent(found.precision), percent(judged)],
        ...[late.values.toFixed(0), late.wrong.toFixed(0), breaks.toFixed(1)],
      ]);
      process.stderr.write(`${rows.at(-1)!.join(' · ')}\n`);
    }
  const head = ['Accepting', 'Reached', 'Reached by count', 'Coverage', 'Right', 'Judged', 'Late', 'Late wrong', 'Breaks'];
  return `${grid([['Organizations', ...head], ...rows])}\n`;
}

const closers = new Closers();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void closers.closeAll().then(() => process.exit(1)));

try {
  const { simulate: count } = command.opts<{ simulate?: number }>();
  if (count !== undefined && !(count >= 1)) throw new Error('--simulate needs a number of organizations');
  const values = command.args.flatMap(readValues);
  if (count === undefined && values.length === 0) throw new Error('The files have no annotated values');
  if (values.length > 0) process.stdout.write(measure(values));
  if (count !== undefined) process.stdout.write(await simulateWorlds(count));
} catch (error) {
  process.stderr.write(`evaluate:acceptance: ${describeError(error)}\n`);
  process.exitCode = 1;
} finally {
  await closers.closeAll();
}
