import { storable } from '../../schema/text.ts';
import type { DocumentKind, DocumentText } from './document-format.ts';
import { ContentFault } from './task.ts';

/** Characters of the text of a document. */
const MAX_CHARACTERS = 1_000_000;
const NO_TEXT = 'the file has no text; scanned pages must go through text recognition first';

export const tasks = {
  /** The text of a document, as databases can store it. Throws `ContentFault` if it has none, or too much. */
  async readText({ kind, bytes }: { kind: DocumentKind; bytes: ArrayBuffer }): Promise<DocumentText> {
    const read = await readers[kind](Buffer.from(bytes));
    const content =
      typeof read.content === 'string' ? read.content : read.content.map((line) => ({ ...line, text: storable(line.text) }));
    const length = typeof content === 'string' ? content.trim().length : content.reduce((sum, line) => sum + line.text.length, 0);
    if (length === 0) throw new ContentFault(NO_TEXT);
    if (length > MAX_CHARACTERS) throw tooLong();
    return { ...read, title: storable(read.title), content };
  },
};

const tooLong = () => new ContentFault('the file has more than 1,000,000 characters of text; split it');

/** Dynamic imports, because most threads need only one parser. */
const readers: Record<DocumentKind, (bytes: Buffer) => Promise<DocumentText>> = {
  async pdf(bytes) {
    const { readPdfLines } = await import('./pdf-lines.ts');
    const { lines, pages } = await readPdfLines(bytes, MAX_CHARACTERS, tooLong);
    return { title: '', content: lines, pages };
  },
  async docx(bytes) {
    const { docxToHtml } = await import('./docx.ts');
    return { ...(await readMarkup(await docxToHtml(bytes))), title: '' };
  },
  html: (bytes) => readMarkup(decode(bytes)),
  text: async (bytes) => ({ title: '', content: decode(bytes), pages: 0 }),
};

async function readMarkup(html: string): Promise<DocumentText> {
  const [{ readHtml }, { linesOf }] = await Promise.all([import('./html-page.ts'), import('./html-text.ts')]);
  const { title, text, isCut } = readHtml(html, 'https://document.invalid/', true, MAX_CHARACTERS + 1);
  if (isCut) throw new ContentFault('the file has too many elements, or nests them too deeply');
  return { title, content: linesOf(text), pages: 0 };
}

/** Decodes by byte order mark, else as UTF-8, else as windows-1252. */
function decode(bytes: Buffer): string {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  if (text.includes('\0')) throw new ContentFault('the file is no text');
  return storable(text);
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
