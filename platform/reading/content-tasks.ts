import { fileTypeFromBuffer } from 'file-type';
import { readBody } from './html-page.ts';
import { plainText } from './plain-text.ts';
import { sanitizeOrThrow } from './sanitize.ts';

/** Work on pages, HTML and images. It runs in a thread. */
export const tasks = {
  readBody,
  cleanHtml: (texts: readonly string[]) => texts.map(sanitizeOrThrow),
  plainTexts: (texts: readonly string[]) => texts.map(plainText),
  /** The MIME type of a file by its content. */
  typeOf: async (bytes: Uint8Array) => (await fileTypeFromBuffer(bytes))?.mime,
};

// Compiles the functions of the first task before its time starts.
readBody({ body: Buffer.from('<p>a'), contentType: '', url: 'https://a.example', isHtml: true, marksHeadings: false });
tasks.cleanHtml(['<p onclick="a">a']);
