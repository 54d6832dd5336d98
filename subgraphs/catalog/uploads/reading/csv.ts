import { parse } from 'csv-parse/sync';
import { FileFault, type FilePage, tablePages } from '../file-pages.ts';

const DELIMITERS = [',', ';', '\t', '|'];

/** Some programs export HTML or XML under the type of workbooks. */
const MARKUP = /^\s*<(?:!doctype|\?xml|html|head|meta|style|table)\b/i;

/** Reads a CSV file and detects its encoding and delimiter. */
export function readCsv(bytes: Buffer): FilePage[] {
  const text = decode(bytes);
  if (text.includes('\0') || MARKUP.test(text)) throw new FileFault('the content of the file does not match its type');
  // Excel names the delimiter in a first line of its own.
  const [line = '', named] = /^sep=(.)\r?\n/.exec(text) ?? [];
  const table = text.slice(line.length);
  try {
    const numbers: number[] = [];
    const rows: string[][] = parse(table, {
      delimiter: named ?? delimiterOf(table),
      record_delimiter: lineEndsOf(table),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: 8 * 1024 * 1024,
      on_record(row: string[], { records, empty_lines }) {
        numbers.push(records + empty_lines + (line ? 1 : 0));
        return row;
      },
    });
    return tablePages('CSV', rows, (index) => numbers[index]!);
  } catch (error) {
    throw error instanceof FileFault ? error : new FileFault('the CSV cannot be read', { cause: error });
  }
}

/** Decodes by byte order mark, else as UTF-8, else as windows-1252. */
function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The start of a table with empty quoted cells. */
const outline = (text: string) => text.slice(0, 20_000).replace(/"[^"]*"/g, '""');

/** A program may append lines with other ends than those of the header. By default, the parser would take them for one cell. */
const lineEndsOf = (text: string): string[] => (/^[^\r\n]*\r[^\n]/.test(outline(text)) ? ['\r'] : ['\r\n', '\n']);

/** The delimiter with the largest minimum of columns over the first lines. */
function delimiterOf(text: string): string {
  const lines = outline(text).split(/\r?\n/).filter(Boolean).slice(0, 5);
  const least = (delimiter: string) => Math.min(...lines.map((line) => line.split(delimiter).length));
  return DELIMITERS.reduce((best, each) => (least(each) > least(best) ? each : best));
}
