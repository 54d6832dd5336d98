/** Reads content that others wrote (HTML, files, templates) in thread pools with limits of CPU time, memory and waiting, in turns by organization. */
export { decodeText } from './charset.ts';
export { batchesOf, cleanAll, cleanHtml, MAX_INLINE } from './clean.ts';
export { readContent } from './content.ts';
export { MAX_TEXT, type PageContent } from './html-page.ts';
export { type Line, linesOf } from './lines.ts';
export { plainText } from './plain-text.ts';
export { reader } from './reading.ts';
export { sanitizeOrStrip } from './sanitize.ts';
export { RecentUse } from './usage.ts';
