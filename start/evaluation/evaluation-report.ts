import type { AnnotatedText } from './lines.ts';
import {
  calibrationError,
  type EvaluatedValues,
  isCorrect,
  type MatchCounts,
  type Result,
  ratios,
  reliability,
  type Score,
  score,
} from './score.ts';
import type { Run } from './work.ts';

interface Report {
  /** Tables of the scored lines; undefined if there are none. */
  text?: string;
  /** One message per failure reason, with the number of failed lines. */
  failures: string[];
}

/** Score the processed lines. Failed lines are reported separately, because provider failures say nothing about enrichment. */
export function report(lines: readonly AnnotatedText[], results: readonly Result[]): Report {
  const read = processed(lines, results);
  const errors = Map.groupBy(
    results.flatMap((result) => ('error' in result ? [result.error] : [])),
    (error) => error,
  );
  const failures = [...errors].map(([error, same]) => `${same.length} of ${lines.length} lines failed: ${error}`);
  if (read.length === 0) return { failures };
  const text = tables(scoreOf(read));
  return { text, failures };
}

/** A table that compares the accuracy, cost and time of runs over the same lines. */
export function comparison(lines: readonly AnnotatedText[], runs: Readonly<Record<string, Run>>): string {
  const rows = Object.entries(runs).map(([name, { results, credits, milliseconds }]) => {
    const read = processed(lines, results);
    const { precision, recall, f1 } = ratios(scoreOf(read).overall);
    const each = Math.max(1, read.length);
    const cost = (credits / each).toFixed(2);
    return [name, ...[precision, recall, f1].map(percent), cost, `${Math.round(milliseconds / each)} ms`];
  });
  return grid([['', 'Precision', 'Recall', 'F1', 'Credits per product', 'Time per product'], ...rows]);
}

/** Tables of the calibration error before and after calibration, in points: the mean, and each range of confidence. */
export function calibrationTables(lines: readonly AnnotatedText[], { results }: Run): string {
  const read = processed(lines, results);
  const judged = [read.map(({ line }) => line), read.map(({ found }) => found)] as const;
  const times: [string, (each: EvaluatedValues[string]) => number][] = [
    ['Before calibration', ({ statedConfidence }) => statedConfidence],
    ['After calibration', ({ confidence }) => confidence],
  ];
  const errors = times.map(([name, confidenceOf]) => [name, calibrationError(...judged, confidenceOf)?.toFixed(1) ?? '–']);
  const bands = times.map(([name, confidenceOf]) =>
    grid([
      [name, 'Values', 'Confidence', 'Right', 'Difference'],
      ...reliability(...judged, confidenceOf).map(({ name: band, count, confidence, right }) => [
        ...[band, String(count), confidence.toFixed(1), right.toFixed(1), Math.abs(confidence - right).toFixed(1)],
      ]),
    ]),
  );
  return [grid([['Calibration error', 'Points'], ...errors]), ...bands].join('\n\n');
}

type Read = { line: AnnotatedText; found: EvaluatedValues }[];

/** The lines whose item did not fail. */
const processed = (lines: readonly AnnotatedText[], results: readonly Result[]): Read =>
  lines.flatMap((line, index) => {
    const result = results[index]!;
    return 'found' in result ? [{ line, found: result.found }] : [];
  });

const scoreOf = (read: Read) =>
  score(
    read.map(({ line }) => line),
    read.map(({ found }) => found),
  );

/** JSON lines with the expected and found values of each line. */
export const resultLines = (lines: readonly AnnotatedText[], results: readonly Result[]): string =>
  lines.map((line, index) => `${JSON.stringify(resultLine(line, results[index]!))}\n`).join('');

function resultLine({ number, category, input, expected }: AnnotatedText, result: Result) {
  const line = { line: number, category, input, expected };
  if ('error' in result) return { ...line, error: result.error };
  const judged = Object.entries(result.found).map(([attribute, given]) => {
    const right = expected[attribute];
    return [attribute, { ...given, right: right ? isCorrect(given.value, right) : null }];
  });
  return { ...line, found: Object.fromEntries(judged) };
}

/** Formats the scores as two tables: accuracy per category, and error rate per confidence range. */
export function tables({ overall, categories, bands }: Score): string {
  const found = [...categories].sort(([a], [b]) => a.localeCompare(b)).map(([name, tally]) => tallyRow(name, tally));
  const calibration = bands.map(({ name, count, wrong }) => [name, String(count), percent(count > 0 ? wrong / count : undefined)]);
  return [
    grid([['Category', 'Found', 'Right', 'Precision', 'Recall', 'F1'], ...found, tallyRow('Overall', overall)]),
    grid([['Confidence', 'Found', 'Error'], ...calibration]),
  ].join('\n\n');
}

function tallyRow(name: string, tally: MatchCounts): string[] {
  const { precision, recall, f1 } = ratios(tally);
  return [name, String(tally.right + tally.wrong), String(tally.right), ...[precision, recall, f1].map(percent)];
}

/** A share as the tables show it. */
export const percent = (share: number | undefined) => (share === undefined ? '–' : `${(100 * share).toFixed(1)} %`);

/** Aligns the first column left and numbers right. */
export function grid(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const pad = (cell: string, column: number) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!));
  const [head, ...body] = rows.map((row) => `| ${row.map(pad).join(' | ')} |`);
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [head, rule, ...body].join('\n');
}
