// Entry of the worker thread. It relies on type stripping of Node, because the loader of the main process is a native module, and
// terminating a thread that has loaded it crashes the process.
import { parentPort, workerData } from 'node:worker_threads';
import { FileFault, type FilePage } from '../pages.ts';
import { readPages } from '../read.ts';

/** The file to read. */
export interface ReadRequest {
  mime: string;
  bytes: ArrayBuffer;
}

/** The pages as JSON arrays in UTF-8, a fault for the sender, or an error for the log. */
export type Outcome = { pages: Uint8Array<ArrayBuffer>[] } | { fault: string } | { error: string };

const MB = 1024 * 1024;
const BATCH_SIZE = MB;
/** Maximum bytes of all pages: a share that small files may have, more by the size of the file, and a maximum. */
const maxBytesOf = (fileBytes: number) => Math.min(4 * MB + 12 * fileBytes, 64 * MB);

const outcome = await read(workerData as ReadRequest);
// Transferred, because a copy would take the memory of the pages twice more.
parentPort?.postMessage(outcome, 'pages' in outcome ? outcome.pages.map(({ buffer }) => buffer) : []);

async function read({ mime, bytes }: ReadRequest): Promise<Outcome> {
  const limit = maxBytesOf(bytes.byteLength);
  try {
    return { pages: batches(await readPages(mime, Buffer.from(bytes)), limit) };
  } catch (error) {
    return error instanceof FileFault ? { fault: error.message } : { error: (error as Error).stack ?? String(error) };
  }
}

/**
 * Serializes pages in batches that fit one SQL statement, so that the main thread need not serialize them again. Throws `FileFault`
 * beyond the limit.
 */
function batches(pages: FilePage[], limit: number): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const done: Uint8Array<ArrayBuffer>[] = [];
  let [list, size, total]: [string[], number, number] = [[], 0, 0];
  const close = () => {
    if (list.length === 0) return;
    const batch = encoder.encode(`[${list.join(',')}]`);
    total += batch.length;
    if (total > limit) throw new FileFault(`the file holds more than ${Math.floor(limit / MB)} MB of text`);
    done.push(batch);
    [list, size] = [[], 0];
  };
  for (const page of pages) {
    const text = JSON.stringify(page);
    list.push(text);
    size += text.length;
    if (size >= BATCH_SIZE) close();
  }
  close();
  return done;
}
