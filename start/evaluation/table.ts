import { ratios, type Score, type Tally } from './score.ts';

/** Formats the scores as two tables: accuracy per category, and error rate per confidence range. */
export function tables({ overall, categories, bands }: Score): string {
  const found = [...categories].sort(([a], [b]) => a.localeCompare(b)).map(([name, tally]) => tallyRow(name, tally));
  const calibration = bands.map(({ name, count, wrong }) => [name, String(count), percent(count > 0 ? wrong / count : undefined)]);
  return [
    grid([['Category', 'Found', 'Right', 'Precision', 'Recall', 'F1'], ...found, tallyRow('Overall', overall)]),
    grid([['Confidence', 'Found', 'Error'], ...calibration]),
  ].join('\n\n');
}

function tallyRow(name: string, tally: Tally): string[] {
  const { precision, recall, f1 } = ratios(tally);
  return [name, String(tally.right + tally.wrong), String(tally.right), ...[precision, recall, f1].map(percent)];
}

export const percent = (share: number | undefined) => (share === undefined ? '–' : `${(100 * share).toFixed(1)} %`);

/** Aligns the first column left and numbers right. */
export function grid(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const pad = (cell: string, column: number) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!));
  const [head, ...body] = rows.map((row) => `| ${row.map(pad).join(' | ')} |`);
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [head, rule, ...body].join('\n');
}
