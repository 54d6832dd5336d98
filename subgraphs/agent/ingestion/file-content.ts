import { readFile } from '../../../platform/files/index.ts';
import { Deadline, FairQueue } from '../../../platform/queues/index.ts';
import { type DocumentText, documentFault, documentKind, readDocument } from '../../../platform/reading/index.ts';
import { ContentFault, type FaultReason } from '../../../platform/reading/task.ts';
import { IngestionFailure, type IngestionScope } from './source-state.ts';

interface StoredFile {
  id: string;
  name: string;
}

/** Megabytes of a thread that reads a file; Word documents and PDFs unpack to more than their size. */
const READING = 512;
/** At most two files at the same time, one per organization. */
const queue = new FairQueue(2);
/**
 * Milliseconds that a file waits for its turn: long behind other organizations, and briefly behind its own. A file that waits occupies a
 * slot of the worker.
 */
const [PATIENCE, OWN_PATIENCE] = [60_000, 2_000];

const sentences: Partial<Record<FaultReason, string>> = {
  time: 'the file takes too long to read',
  memory: 'the file takes too much memory to read',
};

/**
 * The text of the file of a source. Null while it is the turn of other files. Throws `IngestionFailure` with the reason if the file cannot
 * be read.
 */
export async function readFileContent(scope: IngestionScope, file: StoredFile): Promise<DocumentText | null> {
  const { organizationId, signal } = scope;
  const wait = new Deadline(queue.has(organizationId) ? OWN_PATIENCE : PATIENCE, signal);
  const read = () => {
    wait.end();
    return readInThread(scope, file);
  };
  try {
    return await queue.run(organizationId, read, wait.signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (wait.hasPassed) return null;
    if (!(error instanceof ContentFault)) throw error;
    if (error.reason === 'busy') return null;
    throw new IngestionFailure(sentenceOf(sentences[error.reason] ?? error.message));
  } finally {
    wait.end();
  }
}

async function readInThread(scope: IngestionScope, { id, name }: StoredFile): Promise<DocumentText> {
  const { organizationId, signal } = scope;
  const content = new Uint8Array(Buffer.concat(await Array.fromAsync(readFile(scope, id))));
  const fault = documentFault(name, Buffer.from(content.buffer));
  if (fault) throw new ContentFault(fault);
  const order = { kind: documentKind(name)!, bytes: content.buffer };
  return readDocument(organizationId, 'readText', order, { megabytes: READING, signal, transfer: [content.buffer] });
}

const sentenceOf = (fault: string) => `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`;
