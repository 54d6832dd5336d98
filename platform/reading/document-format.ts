import type { TextLine } from './html-text.ts';

/** The formats of documents by the ends of their names. */
const kinds = {
  pdf: 'pdf',
  docx: 'docx',
  md: 'text',
  markdown: 'text',
  txt: 'text',
  text: 'text',
  html: 'html',
  htm: 'html',
} as const;

export type DocumentKind = (typeof kinds)[keyof typeof kinds];

/** The text of a document: its paragraphs and headings, or a text whose headings start with `#`. */
export interface DocumentText {
  /** From the head of an HTML page, or empty. */
  title: string;
  content: TextLine[] | string;
  /** Pages of a PDF, or 0. */
  pages: number;
}

const extensionOf = (name: string) => /\.([a-z]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/** The format of a document by its name. */
export function documentKind(name: string): DocumentKind | undefined {
  const extension = extensionOf(name);
  return Object.hasOwn(kinds, extension) ? kinds[extension as keyof typeof kinds] : undefined;
}

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const isPdf = (start: Buffer) => start.subarray(0, 1_024).includes('%PDF-');
const isArchive = (start: Buffer) => start.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'));
const isUtf16 = (start: Buffer) => ['fffe', 'feff'].includes(start.toString('hex', 0, 2));

const MISMATCH = 'the content of the file does not match its name';

/** Why a document with these first bytes cannot be read; undefined if its text decides. */
export function documentFault(name: string, start: Buffer): string | undefined {
  const kind = documentKind(name);
  if (!kind)
    return `the name must end with one of ${Object.keys(kinds)
      .map((each) => `.${each}`)
      .join(', ')}`;
  if (start.length === 0) return 'the file is empty';
  // Word also encrypts in this format.
  if (kind === 'docx' && start.subarray(0, OLE.length).equals(OLE))
    return 'the document is protected by a password, or in the format of Word 97; save it as .docx without a password';
  if (kind === 'pdf') return isPdf(start) ? undefined : MISMATCH;
  if (kind === 'docx') return isArchive(start) ? undefined : MISMATCH;
  const isBinary = isPdf(start) || isArchive(start) || (start.includes(0) && !isUtf16(start));
  return isBinary ? MISMATCH : undefined;
}
