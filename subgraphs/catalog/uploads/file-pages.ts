import { ContentFault } from '../../../platform/reading/task.ts';
import { fitTexts, storable, truncate } from '../../../schema/text.ts';
import { type DecimalMark, decimalMarks } from './decimal-marks.ts';

/** A part of the content of a file that fits a model request. */
export type ContentPage =
  | { kind: 'text'; text: string }
  | TablePage
  /** The whole file is one image. */
  | { kind: 'image' };

/** Rows of a table. */
export interface TablePage {
  kind: 'table';
  name: string;
  columns: string[];
  /** All columns of the table, on its first page, if that one has fewer. */
  header?: string[];
  rows: string[][];
  /** The number of the first row among those below the header, starting at 1. */
  first: number;
  /** The number of each row, as a spreadsheet shows it. */
  numbers: number[];
  /** The decimal mark of each column in the whole table, as far as its cells show one. */
  marks: DecimalMark[];
}

/** A file cannot be used. The message is shown to the sender. */
export class FileFault extends ContentFault {}

const PAGE_ROWS = 50;
const PAGE_CHARACTERS = 12_000;
/** The rows of one page, and of a page with one long row. */
const ROW_CHARACTERS = 4 * PAGE_CHARACTERS;
const MAX_ROWS = 250_000;
const MAX_COLUMNS = 500;
/** Cell size limit of spreadsheets; longer cells are truncated. */
const MAX_CELL_LENGTH = 32_767;
/** Each page has all columns of a table whose header is not longer, and otherwise those that its rows reach. */
const SHORT_HEADER = 2_000;
/** Longer names are truncated, because each page repeats them. */
const [MAX_COLUMN_LENGTH, MAX_TABLE_NAME] = [256, 100];

/**
 * Splits a table into pages. The first non-empty row names the columns.
 * @param numberOf the number of the row at an index, as a spreadsheet shows it
 */
export function tablePages(
  sheet: string,
  table: readonly (readonly unknown[])[],
  numberOf = (index: number) => index + 1,
): ContentPage[] {
  const name = truncate(sheet, MAX_TABLE_NAME);
  const texts = table.map((row) => row.map(cellText));
  const filled = [...texts.keys()].filter((index) => widthOf(texts[index]!) > 0);
  const rows = filled.map((index) => texts[index]!);
  const names = rows[0]?.slice(0, widthOf(rows[0])) ?? [];
  // Spreadsheets may have formatted cells far beyond their columns.
  const body = rows.slice(1).map((row) => row.slice(0, Math.max(names.length, widthOf(row))));
  const numbers = filled.slice(1).map(numberOf);
  if (body.length > MAX_ROWS) throw new FileFault(`the table ${name} has more than ${MAX_ROWS} rows`);
  if ([names, ...body].some((row) => row.length > MAX_COLUMNS))
    throw new FileFault(`the table ${name} has more than ${MAX_COLUMNS} columns`);
  const columns = fitTexts(
    names.map((each) => truncate(each, MAX_COLUMN_LENGTH)),
    PAGE_CHARACTERS,
  );
  const least = columns.reduce((sum, { length }) => sum + length, 0) <= SHORT_HEADER ? columns.length : 0;
  const marks = decimalMarks(filled.slice(1).map((index) => table[index]!));
  const pages: ContentPage[] = [];
  let [rowsOf, size, width, first]: [string[][], number, number, number] = [[], 0, least, 1];
  const close = (next: number) => {
    const header = first === 1 && width < columns.length ? { header: columns } : {};
    const page = { kind: 'table', name, columns: columns.slice(0, width), ...header, rows: rowsOf, first } as const;
    if (rowsOf.length > 0) pages.push({ ...page, numbers: numbers.slice(first - 1, next - 1), marks: marks.slice(0, width) });
    [rowsOf, size, width, first] = [[], 0, least, next];
  };
  for (const [at, row] of body.entries()) {
    const length = row.reduce((sum, cell) => sum + cell.length, 0);
    if (rowsOf.length >= PAGE_ROWS || size + length > ROW_CHARACTERS) close(at + 1);
    rowsOf.push(length > ROW_CHARACTERS ? fitTexts(row, ROW_CHARACTERS) : row);
    size += length;
    width = Math.max(width, widthOf(row));
  }
  close(body.length + 1);
  return pages;
}

/** The number of cells up to the last that is not empty. */
const widthOf = (row: readonly string[]) => row.findLastIndex((cell) => cell !== '') + 1;

/** Splits a text into pages, at line breaks if possible. */
export function textPages(text: string): ContentPage[] {
  const pages: ContentPage[] = [];
  for (let rest = storable(text).trim(); rest !== ''; ) {
    const end = rest.length > PAGE_CHARACTERS ? rest.lastIndexOf('\n', PAGE_CHARACTERS) : rest.length;
    const cut = end > PAGE_CHARACTERS / 2 ? end : Math.min(PAGE_CHARACTERS, rest.length);
    const page = truncate(rest, cut);
    pages.push({ kind: 'text', text: page });
    rest = rest.slice(page.length).trim();
  }
  return pages;
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const text = cell instanceof Date ? timeText(cell) : String(cell);
  return truncate(text, MAX_CELL_LENGTH).trim();
}

/** A day, or a time. Spreadsheets count days from 1900, so a time without a day is in 1899. A number that is formatted as a date may be none. */
function timeText(time: Date): string {
  if (Number.isNaN(time.getTime())) return '';
  const text = time.toISOString();
  return time.getUTCFullYear() === 1899 ? text.slice(11, 19) : text.replace('T00:00:00.000Z', '');
}
