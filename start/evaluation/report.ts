import type { Line } from './lines.ts';
import { isRight, type Result, score } from './score.ts';
import { tables } from './table.ts';

interface Report {
  /** The tables over the lines that were read; nothing when none was. */
  text?: string;
  /** How many lines could not be read and why, as sentences; empty when all could. */
  failures: string[];
}

/** Score the lines that were read. The others are reported, because a failure of the provider says nothing about enrichment. */
export function report(lines: readonly Line[], results: readonly Result[]): Report {
  const read = lines.flatMap((line, index) => {
    const result = results[index]!;
    return 'found' in result ? [{ line, found: result.found }] : [];
  });
  const errors = Map.groupBy(
    results.flatMap((result) => ('error' in result ? [result.error] : [])),
    (error) => error,
  );
  const failures = [...errors].map(([error, same]) => `${same.length} of ${lines.length} lines failed: ${error}`);
  if (read.length === 0) return { failures };
  const text = tables(
    score(
      read.map(({ line }) => line),
      read.map(({ found }) => found),
    ),
  );
  return { text, failures };
}

/** One line of JSON for each line of the file, with what was expected and found. */
export const resultLines = (lines: readonly Line[], results: readonly Result[]): string =>
  lines.map((line, index) => `${JSON.stringify(resultLine(line, results[index]!))}\n`).join('');

function resultLine({ number, category, input, expected }: Line, result: Result) {
  const line = { line: number, category, input, expected };
  if ('error' in result) return { ...line, error: result.error };
  const judged = Object.entries(result.found).map(([attribute, given]) => {
    const right = expected[attribute];
    return [attribute, { ...given, right: right ? isRight(given.value, right) : null }];
  });
  return { ...line, found: Object.fromEntries(judged) };
}
