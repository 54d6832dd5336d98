import type { Line } from './lines.ts';
import { isCorrect, type Result, score } from './score.ts';
import { tables } from './table.ts';

interface Report {
  /** Tables of the scored lines; undefined if there are none. */
  text?: string;
  /** One message per failure reason, with the number of failed lines. */
  failures: string[];
}

/** Score the processed lines. Failed lines are reported separately, because provider failures say nothing about enrichment. */
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

/** JSON lines with the expected and found values of each line. */
export const resultLines = (lines: readonly Line[], results: readonly Result[]): string =>
  lines.map((line, index) => `${JSON.stringify(resultLine(line, results[index]!))}\n`).join('');

function resultLine({ number, category, input, expected }: Line, result: Result) {
  const line = { line: number, category, input, expected };
  if ('error' in result) return { ...line, error: result.error };
  const judged = Object.entries(result.found).map(([attribute, given]) => {
    const right = expected[attribute];
    return [attribute, { ...given, right: right ? isCorrect(given.value, right) : null }];
  });
  return { ...line, found: Object.fromEntries(judged) };
}
