import { spreadsheetCell } from '../../parts/save-file.ts';
import { type Content, isEmpty } from '../../values/format.ts';

/** The most rows and cells that one paste takes. */
export const [MAX_ROWS, MAX_CELLS] = [1_000, 5_000];

const QUOTED = /[\t\r\n"]/;

/** A block of cells as spreadsheets copy them: tabs between cells, and quotes around cells with tabs, quotes or line breaks. */
export const blockText = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => quoted(spreadsheetCell(cell))).join('\t')).join('\n');

const quoted = (cell: string) => (QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** The cells of a block that was copied from a spreadsheet. All rows have the same length. */
export function readBlock(text: string): string[][] {
  const rows: string[][] = [[]];
  // A cell in quotes may have tabs and line breaks. A quote within a cell is only a character.
  for (const [, inQuotes, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/g)) {
    rows.at(-1)!.push(withoutApostrophe(inQuotes?.replaceAll('""', '"') ?? plain ?? ''));
    if (end === '') break;
    if (end !== '\t') rows.push([]);
  }
  // Spreadsheets end the last row with a line break.
  if (rows.length > 1 && (rows.at(-1)!.length === 0 || rows.at(-1)!.join('') === '')) rows.pop();
  const width = Math.max(...rows.map(({ length }) => length));
  return rows.map((row) => [...row, ...Array<string>(width - row.length).fill('')]);
}

/** The apostrophe that keeps a copied text from being a formula. */
const withoutApostrophe = (cell: string) =>
  cell.startsWith("'") && spreadsheetCell(cell.slice(1)) === cell ? cell.slice(1) : cell;

/** A value for a spreadsheet, without its unit, which reads it with the decimal mark of the reader. */
export function copiedText(value: Content, { yes, no }: { yes: string; no: string }, decimalMark: string): string {
  if (isEmpty(value)) return '';
  if (typeof value === 'number') return plainNumber(value).replace('.', decimalMark);
  if (typeof value === 'boolean') return value ? yes : no;
  return Array.isArray(value) ? value.join('; ') : String(value);
}

const plainNumber = (value: number) => {
  const text = String(value);
  return text.includes('e') ? value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 }) : text;
};
