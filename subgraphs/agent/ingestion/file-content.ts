import { ByteBudget } from '../../../platform/database/index.ts';
import { readFile } from '../../../platform/files/index.ts';
import { type DocumentText, documentFault, documentKind, readDocument } from '../../../platform/reading/index.ts';
import { ContentFault, type FaultReason } from '../../../platform/reading/task.ts';
import { IngestionFailure, type IngestionScope } from './source-state.ts';

const MB = 1024 * 1024;
/** Megabytes of a thread that reads a file; Word documents and PDFs unpack to more than their size. */
const READING = 512;
/** Megabytes of the largest file. */
const LARGEST = 25;
/** Memory of all files that the process reads at the same time: two, so that a slow file delays those of its organization only. */
const budget = new ByteBudget(2 * (READING + LARGEST) * MB);

const sentences: Partial<Record<FaultReason, string>> = {
  time: 'the file takes too long to read',
  memory: 'the file takes too much memory to read',
};

/**
 * The text of the file of a source. Null while too many other files are read. Throws `IngestionFailure` with the reason if the file cannot
 * be read.
 */
export async function readFileContent(
  scope: IngestionScope,
  { id, name, bytes }: { id: string; name: string; bytes: number },
): Promise<DocumentText | null> {
  const { organizationId, signal } = scope;
  const held = await budget.reserve(organizationId, READING * MB + bytes, signal);
  try {
    const content = new Uint8Array(Buffer.concat(await Array.fromAsync(readFile(scope, id))));
    const fault = documentFault(name, Buffer.from(content.buffer));
    if (fault) throw new ContentFault(fault);
    const order = { kind: documentKind(name)!, bytes: content.buffer };
    return await readDocument(organizationId, 'readText', order, { megabytes: READING, signal, transfer: [content.buffer] });
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ContentFault)) throw error;
    if (error.reason === 'busy') return null;
    throw new IngestionFailure(sentenceOf(sentences[error.reason] ?? error.message));
  } finally {
    held.release();
  }
}

const sentenceOf = (fault: string) => `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`;
