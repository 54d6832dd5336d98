import { fileTypeFromBuffer } from 'file-type';
import { FileFault, type FilePage } from './file-pages.ts';

interface Reader {
  /** Whether the content may have this detected MIME type. Plain text has none. */
  fits(found: string | undefined, bytes: Buffer): boolean;
  read(bytes: Buffer, found: string | undefined): Promise<FilePage[]>;
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
  read: async (bytes) => (await import('./reading/pdf.ts')).readPdf(bytes),
};

/** Text formats that are no tables. */
const TEXTS = [PDF, 'application/postscript', 'application/eps', 'application/rtf'];
/** A text may begin like a binary file: `PARENT SKU` like Parquet. `readCsv` refuses the NUL characters of such files. */
const csv: Reader = {
  fits: (found) => found === undefined || !TEXTS.includes(found),
  read: async (bytes) => (await import('./reading/csv.ts')).readCsv(bytes),
};
const XLS = 'application/x-cfb';

/** Dynamic imports, because most threads need only one parser. */
const readers: Record<string, Reader> = {
  [PDF]: pdf,
  'text/csv': csv,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    fits: only('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
    read: async (bytes) => (await import('./reading/xlsx.ts')).readXlsx(bytes),
  },
  // Browsers on Windows declare CSV files as this type if Excel is installed.
  'application/vnd.ms-excel': {
    fits: (found, bytes) => found === XLS || csv.fits(found, bytes),
    read: async (bytes, found) => (found === XLS ? (await import('./reading/xls.ts')).readXls(bytes) : csv.read(bytes, found)),
  },
  // Every program that reads PNG shows the first picture of an animation.
  'image/png': image('image/png', 'image/apng'),
  'image/jpeg': image('image/jpeg'),
  'image/webp': image('image/webp'),
};

/** Reads a file into pages. Throws `FileFault` if the content does not match the type or contains nothing readable. */
export async function readPages(mime: string, bytes: Buffer): Promise<FilePage[]> {
  const reader = readers[mime];
  if (!reader) throw new FileFault('files of this type cannot be read');
  if (bytes.length === 0) throw new FileFault('the file is empty');
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (!reader.fits(found?.mime, bytes)) throw new FileFault('the content of the file does not match its type');
  const pages = await reader.read(bytes, found?.mime);
  if (pages.length === 0) throw new FileFault('the file has no readable content');
  return pages;
}
