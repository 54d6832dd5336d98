import { fileTypeFromBuffer } from 'file-type';
import { FileFault, type FilePage } from './pages.ts';

interface Reader {
  /** Expected MIME type detected from the content. Undefined for plain text, which cannot be detected. */
  content: string | undefined;
  read(bytes: Buffer): Promise<FilePage[]>;
}

const image = (content: string): Reader => ({ content, read: async () => [{ kind: 'image' }] });

/** Dynamic imports, because each worker thread reads one file and needs only one parser. */
const readers: Record<string, Reader> = {
  'application/pdf': { content: 'application/pdf', read: async (bytes) => (await import('./reading/pdf.ts')).readPdf(bytes) },
  'text/csv': { content: undefined, read: async (bytes) => (await import('./reading/csv.ts')).readCsv(bytes) },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    content: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    read: async (bytes) => (await import('./reading/xlsx.ts')).readXlsx(bytes),
  },
  'application/vnd.ms-excel': {
    content: 'application/x-cfb',
    read: async (bytes) => (await import('./reading/xls.ts')).readXls(bytes),
  },
  'image/png': image('image/png'),
  'image/jpeg': image('image/jpeg'),
  'image/webp': image('image/webp'),
};

/** Reads a file into pages. Throws `FileFault` if the content does not match the type or contains nothing readable. */
export async function readPages(mime: string, bytes: Buffer): Promise<FilePage[]> {
  const reader = readers[mime];
  if (!reader) throw new FileFault('files of this type cannot be read');
  if (bytes.length === 0) throw new FileFault('the file is empty');
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found?.mime !== reader.content) throw new FileFault('the file is not what its type says');
  const pages = await reader.read(bytes);
  if (pages.length === 0) throw new FileFault('the file holds nothing that can be read');
  return pages;
}
