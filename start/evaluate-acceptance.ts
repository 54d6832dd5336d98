import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { isObject } from '../schema/json.ts';
import { grid, percent } from './evaluation/evaluation-report.ts';
import { compareMethods, type ScoredValue, SPLITS, simulateDrift } from './evaluation/splits.ts';
import { describeError } from './process/run.ts';

const command = new Command('evaluate:acceptance')
  .description(
    'Measure on the results of evaluations how many values rules accept without a person, and how many of these are right.',
  )
  .argument('<files...>', 'results that `npm run evaluate -- --out` wrote')
  .parse();

const PRECISIONS = [0.8, 0.9, 0.95, 0.98];
const AUDIT_SHARE = 0.05;

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

try {
  const values = command.args.flatMap(readValues);
  if (values.length === 0) throw new Error('The files have no annotated values');
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
  process.stdout.write(
    `${values.length} values\n\n${grid([['Precision', 'Not missed', 'Accepted nothing', 'Coverage', 'Right'], ...compared])}\n\n${grid(
      [['Precision', 'Accepted before', 'Accepted after', 'Wrong after', 'Audits', 'Stopped'], ...drifts],
    )}\n`,
  );
} catch (error) {
  process.stderr.write(`evaluate:acceptance: ${describeError(error)}\n`);
  process.exitCode = 1;
}
