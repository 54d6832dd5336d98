import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fileTypeFromBuffer } from 'file-type';
import { Moved } from '../../../platform/reading/task.ts';
import { type ContentPage, FileFault, tablePages, textPages } from './file-pages.ts';

const MB = 1024 * 1024;
const BATCH_SIZE = MB;
/** Maximum bytes of all pages: a share that small files may have, more by the size of the file, and a maximum. */
const maxBytesOf = (fileBytes: number) => Math.min(4 * MB + 12 * fileBytes, 64 * MB);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

export const tasks = {
  /** The pages of a file as JSON arrays in UTF-8. */
  async readFile({ mime, bytes }: { mime: string; bytes: ArrayBuffer }): Promise<Moved<Uint8Array[]>> {
    // Garbage of the file before would count as memory of this one.
    collectGarbage();
    const limit = maxBytesOf(bytes.byteLength);
    const pages = batches(await readPages(mime, Buffer.from(bytes)), limit);
    return new Moved(
      pages,
      pages.map(({ buffer }) => buffer),
    );
  },
};

/**
 * Serializes pages in batches that fit one SQL statement, so that the main thread need not serialize them again. Throws `FileFault`
 * beyond the limit.
 */
function batches(pages: ContentPage[], limit: number): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const done: Uint8Array<ArrayBuffer>[] = [];
  let [list, size, total]: [string[], number, number] = [[], 0, 0];
  const close = () => {
    if (list.length === 0) return;
    const batch = encoder.encode(`[${list.join(',')}]`);
    total += batch.length;
    if (total > limit) throw new FileFault(`the file has more than ${Math.floor(limit / MB)} MB of text`);
    done.push(batch);
    [list, size] = [[], 0];
  };
  for (const page of pages) {
    const text = JSON.stringify(page);
    list.push(text);
    size += text.length;
    if (size >= BATCH_SIZE) close();
  }
  close();
  return done;
}

interface Reader {
  /** Whether the content may have this detected MIME type. Plain text has none. */
  fits(found: string | undefined, bytes: Buffer): boolean;
  read(bytes: Buffer, found: string | undefined): Promise<ContentPage[]>;
}

const only =
  (...contents: string[]) =>
  (found: string | undefined) =>
    found !== undefined && contents.includes(found);
const image = (...contents: string[]): Reader => ({ fits: only(...contents), read: async () => [{ kind: 'image' }] });

const PDF = 'application/pdf';
/** Programs that read PDF look for its header in so many bytes, because some files have others in front of it. */
const PDF_HEADER_BYTES = 1_024;
const pdf: Reader = {
  fits: (found, bytes) => found === PDF || (!found && bytes.subarray(0, PDF_HEADER_BYTES).includes('%PDF-')),
  read: readPdf,
};

/** Text formats that are no tables. */
const TEXTS = [PDF, 'application/postscript', 'application/eps', 'application/rtf'];
/** A text may begin like a binary file: `PARENT SKU` like Parquet. `readCsv` refuses the NUL characters of such files. */
const csv: Reader = {
  fits: (found) => found === undefined || !TEXTS.includes(found),
  read: readCsv,
};
const XLS = 'application/x-cfb';

const readers: Record<string, Reader> = {
  [PDF]: pdf,
  'text/csv': csv,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    fits: only('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
    read: readXlsx,
  },
  // Browsers on Windows declare CSV files as this type if Excel is installed.
  'application/vnd.ms-excel': {
    fits: (found, bytes) => found === XLS || csv.fits(found, bytes),
    read: (bytes, found) => (found === XLS ? readXls(bytes) : readCsv(bytes)),
  },
  // Every program that reads PNG shows the first picture of an animation.
  'image/png': image('image/png', 'image/apng'),
  'image/jpeg': image('image/jpeg'),
  'image/webp': image('image/webp'),
};

/** Reads a file into pages. Throws `FileFault` if the content does not match the type or contains nothing readable. */
async function readPages(mime: string, bytes: Buffer): Promise<ContentPage[]> {
  const reader = readers[mime];
  if (!reader) throw new FileFault('files of this type cannot be read');
  if (bytes.length === 0) throw new FileFault('the file is empty');
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (!reader.fits(found?.mime, bytes)) throw new FileFault('the content of the file does not match its type');
  const pages = await reader.read(bytes, found?.mime);
  if (pages.length === 0) throw new FileFault('the file has no readable content');
  return pages;
}

// Parsers are imported when they are needed, because most threads need only one.

const MAX_PDF_PAGES = 1_000;

/** Reads the text of a PDF. Scanned pages contain no text and are rejected. */
async function readPdf(bytes: Buffer): Promise<ContentPage[]> {
  const [{ extractText }, { withPdf }] = await Promise.all([import('unpdf'), import('../../../platform/reading/open-pdf.ts')]);
  const text = await withPdf(bytes, MAX_PDF_PAGES, async (pdf) => (await extractText(pdf)).text.join('\n\n'));
  if (text.trim() === '') throw new FileFault('the PDF has no text; scanned pages cannot be read');
  return textPages(text);
}

const DELIMITERS = [',', ';', '\t', '|'];

/** Some programs export HTML or XML under the type of workbooks. */
const MARKUP = /^\s*<(?:!doctype|\?xml|html|head|meta|style|table)\b/i;

/** Reads a CSV file and detects its encoding and delimiter. */
async function readCsv(bytes: Buffer): Promise<ContentPage[]> {
  const { parse } = await import('csv-parse/sync');
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

/** Reads the sheets of an XLSX workbook. */
async function readXlsx(bytes: Buffer): Promise<ContentPage[]> {
  const [{ default: readXlsxFile }, { unpack }] = await Promise.all([
    import('read-excel-file/node'),
    import('../../../platform/reading/unzip.ts'),
  ]);
  // The reader below would unpack a bomb.
  for await (const _ of unpack(bytes, 'the workbook'));
  const sheets = await readXlsxFile(bytes).catch((cause: unknown) => {
    throw new FileFault('the workbook cannot be read', { cause });
  });
  return sheets.flatMap(({ sheet, data }) => tablePages(sheet, data));
}

/** Reads the sheets of a legacy XLS workbook. */
async function readXls(bytes: Buffer): Promise<ContentPage[]> {
  const { read, utils } = await import('@e965/xlsx');
  const { SheetNames, Sheets } = readWorkbook();
  // Otherwise a date is midnight in the time zone of the process, which is another day in UTC.
  const options = { header: 1, defval: '', UTC: true } as const;
  return SheetNames.flatMap((name) => {
    const sheet = Sheets[name]!;
    const above = sheet['!ref'] ? utils.decode_range(sheet['!ref']).s.r : 0;
    return tablePages(name, utils.sheet_to_json<unknown[]>(sheet, options), (index) => above + index + 1);
  });

  function readWorkbook() {
    try {
      return read(bytes, { type: 'buffer', dense: true, cellDates: true, cellFormula: false, cellHTML: false, sheetRows: 60_000 });
    } catch (cause) {
      throw new FileFault('the workbook cannot be read', { cause });
    }
  }
}
