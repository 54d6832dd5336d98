import { extractText } from 'unpdf';
import { withPdf } from '../../../../platform/reading/open-pdf.ts';
import { FileFault, type FilePage, textPages } from '../file-pages.ts';

const MAX_PAGES = 1_000;

/** Reads the text of a PDF. Scanned pages contain no text and are rejected. */
export async function readPdf(bytes: Buffer): Promise<FilePage[]> {
  const text = await withPdf(bytes, MAX_PAGES, async (pdf) => (await extractText(pdf)).text.join('\n\n'));
  if (text.trim() === '') throw new FileFault('the PDF has no text; scanned pages cannot be read');
  return textPages(text);
}
