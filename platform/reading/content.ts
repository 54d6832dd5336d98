import { fail } from '../../schema/errors.ts';
import type { tasks } from './content-tasks.ts';
import type { tasks as documentTasks } from './document-tasks.ts';
import type { tasks as mailTasks } from './mail-tasks.ts';
import { reader } from './reading.ts';
import { sanitizeOrThrow } from './sanitize.ts';
import { ContentFault } from './task.ts';

/** Runs the tasks of pages, HTML and images. Rejects with `ContentFault`, or the reason of the signal. */
export const readContent = reader<typeof tasks>('pages', new URL('./content-tasks.ts', import.meta.url));

/** Reads mails of others. Rejects with `ContentFault`. */
export const readMail = reader<typeof mailTasks>('pages', new URL('./mail-tasks.ts', import.meta.url));

/** Reads documents of others. Rejects with `ContentFault`, or the reason of the signal. */
export const readDocument = reader<typeof documentTasks>('files', new URL('./document-tasks.ts', import.meta.url));

/** Characters of HTML that are cleaned on the event loop, which takes less than 5 ms for the worst of them. */
export const MAX_INLINE = 8_000;
/** Characters of one task. */
const BATCH = 500_000;

/** Clean HTML that a caller sent, by an allow-list. Throws `INVALID_INPUT`, and `RATE_LIMITED` while too much other content is read. */
export async function cleanHtml(owner: string, html: string): Promise<string> {
  return (await cleanAll(owner, [html]))[0]!;
}

/** Like `cleanHtml`, for many texts. */
export async function cleanAll(owner: string, texts: readonly string[]): Promise<string[]> {
  const cleaned: string[] = [];
  try {
    for (const batch of batchesOf(texts, BATCH)) {
      const isSmall = batch.reduce((sum, { length }) => sum + length, 0) <= MAX_INLINE;
      cleaned.push(...(isSmall ? batch.map(sanitizeOrThrow) : await readContent(owner, 'cleanHtml', batch)));
    }
    return cleaned;
  } catch (error) {
    throw error instanceof ContentFault ? refusalOf(error) : error;
  }
}

const messages: Partial<Record<ContentFault['reason'], string>> = {
  time: 'HTML takes too long to read',
  memory: 'HTML takes too much memory to read',
};

const refusalOf = ({ reason, message }: ContentFault) =>
  reason === 'busy' ? fail('RATE_LIMITED', message) : fail('INVALID_INPUT', messages[reason] ?? message);

/** Groups of texts that have at most so many characters together, or one text each. */
export function* batchesOf(texts: readonly string[], limit: number): Generator<string[]> {
  let [batch, size]: [string[], number] = [[], 0];
  for (const text of texts) {
    if (size + text.length > limit && batch.length > 0) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(text);
    size += text.length;
  }
  if (batch.length > 0) yield batch;
}
