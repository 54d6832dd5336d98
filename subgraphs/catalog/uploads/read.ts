import { fileTypeFromBuffer } from 'file-type';
import { FileFault, type FilePage } from './pages.ts';

interface Reader {
  /** What the content itself is found to be; plain text is not found to be anything. */
  content: string | undefined;
  read(bytes: Buffer): Promise<FilePage[]>;
}

const image = (content: string): Reader => ({ content, read: async () => [{ kind: 'image' }] });

/** A thread reads one file: each loads only what reads that. */
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

/** What a file holds, in pages. Throws `FileFault` when it is not what its type says, or nothing can be read in it. */
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
