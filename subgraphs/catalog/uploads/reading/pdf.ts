import { extractText, getDocumentProxy } from 'unpdf';
import { FileFault, type FilePage, textPages } from '../file-pages.ts';

const MAX_PAGES = 1_000;

/** Reads the text of a PDF. Scanned pages contain no text and are rejected. */
export async function readPdf(bytes: Buffer): Promise<FilePage[]> {
  const text = await textOf(bytes).catch((cause: unknown) => {
    throw cause instanceof FileFault ? cause : new FileFault('the PDF cannot be read', { cause });
  });
  if (text.trim() === '') throw new FileFault('the PDF has no text; scanned pages cannot be read');
  return textPages(text);
}

async function textOf(bytes: Buffer): Promise<string> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  try {
    if (pdf.numPages > MAX_PAGES) throw new FileFault(`the PDF has more than ${MAX_PAGES} pages`);
    return (await extractText(pdf)).text.join('\n\n');
  } finally {
    await pdf.loadingTask.destroy();
  }
}
