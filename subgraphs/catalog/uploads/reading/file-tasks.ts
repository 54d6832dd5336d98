import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Moved } from '../../../../platform/reading/task.ts';
import { FileFault, type FilePage } from '../file-pages.ts';
import { readPages } from '../read.ts';

const MB = 1024 * 1024;
const BATCH_SIZE = MB;
/** Maximum bytes of all pages: a share that small files may have, more by the size of the file, and a maximum. */
const maxBytesOf = (fileBytes: number) => Math.min(4 * MB + 12 * fileBytes, 64 * MB);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

export const tasks = {
  /** The pages of a file as JSON arrays in UTF-8. */
  async readFile({ mime, bytes }: { mime: string; bytes: ArrayBuffer }): Promise<Moved<Uint8Array[]>> {
    // Garbage of the file before would count as memory of this one.
    collectGarbage();
    const limit = maxBytesOf(bytes.byteLength);
    const pages = batches(await readPages(mime, Buffer.from(bytes)), limit);
    return new Moved(
      pages,
      pages.map(({ buffer }) => buffer),
    );
  },
};

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
    if (total > limit) throw new FileFault(`the file has more than ${Math.floor(limit / MB)} MB of text`);
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
