/** Reads content that others wrote (HTML, files, templates) in thread pools with limits of CPU time, memory and waiting, in turns by organization. */

export { type DocumentText, documentFault, documentKind } from './document-format.ts';
export { decodeText, MAX_TEXT, type PageContent } from './html-page.ts';
export { linesOf, type TextLine } from './html-text.ts';
export { RecentUse } from './lane.ts';
export type { ReceivedMail } from './mail-tasks.ts';
export { plainText } from './plain-text.ts';
export { batchesOf, cleanAll, cleanHtml, MAX_INLINE, readContent, readDocument, reader, readMail } from './reading.ts';
export { sanitizeOrStrip } from './sanitize.ts';
