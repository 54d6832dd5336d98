// What a thread of its own runs for one file. Node strips the types here: the loader of the processes would bring a native module,
// and a thread that holds it takes the process with it when it is ended.
import { parentPort, workerData } from 'node:worker_threads';
import { FileFault, type FilePage } from '../pages.ts';
import { readPages } from '../read.ts';

/** The file. */
export interface Reading {
  mime: string;
  bytes: ArrayBuffer;
}

/** What came of it: the pages as JSON texts of lists, a sentence for the sender, or an error for the log. */
export type Outcome = { pages: string[] } | { fault: string } | { error: string };

const LIST = 1024 * 1024;

parentPort?.postMessage(await read(workerData as Reading));

async function read({ mime, bytes }: Reading): Promise<Outcome> {
  try {
    return { pages: lists(await readPages(mime, Buffer.from(bytes))) };
  } catch (error) {
    return error instanceof FileFault ? { fault: error.message } : { error: (error as Error).stack ?? String(error) };
  }
}

/** As text the pages need not be built and written once more by whom they are for; each list is of a size to be taken in at once. */
function lists(pages: FilePage[]): string[] {
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
    if (size >= LIST) close();
  }
  close();
  return done;
}
