import { getDocumentProxy } from 'unpdf';
import { ContentFault } from './task.ts';

export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Opens a PDF. Throws `ContentFault` if it cannot be opened, needs a password, or has too many pages. */
export async function withPdf<T>(bytes: Buffer, maxPages: number, read: (pdf: Pdf) => Promise<T>): Promise<T> {
  let pdf: Pdf | undefined;
  try {
    pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    if (pdf.numPages > maxPages) throw new ContentFault(`the PDF has more than ${maxPages} pages`);
    return await read(pdf);
  } catch (cause) {
    if (cause instanceof ContentFault) throw cause;
    const isLocked = (cause as Error).name === 'PasswordException';
    throw new ContentFault(isLocked ? 'the PDF is protected by a password' : 'the PDF cannot be read', { cause });
  } finally {
    await pdf?.loadingTask.destroy();
  }
}
