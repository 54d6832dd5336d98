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

/** The pages as JSON arrays, a fault for the sender, or an error for the log. */
export type Outcome = { pages: string[] } | { fault: string } | { error: string };

const BATCH_SIZE = 1024 * 1024;

parentPort?.postMessage(await read(workerData as ReadRequest));

async function read({ mime, bytes }: ReadRequest): Promise<Outcome> {
  try {
    return { pages: batches(await readPages(mime, Buffer.from(bytes))) };
  } catch (error) {
    return error instanceof FileFault ? { fault: error.message } : { error: (error as Error).stack ?? String(error) };
  }
}

/** Serializes pages in batches that fit one SQL statement, so that the main thread need not serialize them again. */
function batches(pages: FilePage[]): string[] {
  const done: string[] = [];
  let [list, size]: [string[], number] = [[], 0];
  const close = () => {
    if (list.length > 0) done.push(`[${list.join(',')}]`);
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
