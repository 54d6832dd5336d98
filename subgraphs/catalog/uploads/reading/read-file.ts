import { reader } from '../../../../platform/reading/index.ts';
import { ContentFault, type FaultReason } from '../../../../platform/reading/task.ts';
import { log } from '../../../../platform/telemetry/index.ts';
import { fail } from '../../../../schema/errors.ts';
import { FileFault } from '../file-pages.ts';
import type { tasks } from './file-tasks.ts';

const sentences: Partial<Record<FaultReason, string>> = {
  time: 'the file takes too long to read',
  memory: 'the file takes too much memory to read',
};

const read = reader<typeof tasks>('files', new URL('./file-tasks.ts', import.meta.url));

/**
 * Reads a file in a thread and returns its pages as JSON arrays in UTF-8. The buffer is moved to the thread. Throws `FileFault` if
 * the file is unreadable or exceeds the limits, `RATE_LIMITED` while too many other files are read, and the reason of the signal if it aborts first.
 */
export async function readInThread(
  owner: string,
  mime: string,
  { buffer }: Uint8Array<ArrayBuffer>,
  limits: { megabytes: number; cpuMs?: number },
  signal?: AbortSignal,
): Promise<Uint8Array[]> {
  try {
    return await read(owner, 'readFile', { mime, bytes: buffer }, { ...limits, signal, transfer: [buffer] });
  } catch (error) {
    if (signal?.aborted) throw error;
    if (!(error instanceof ContentFault)) {
      log.error({ err: error, mime }, 'Failed to read a file');
      throw new FileFault('the file cannot be read');
    }
    if (error.reason === 'busy') throw fail('RATE_LIMITED', error.message);
    throw new FileFault(sentences[error.reason] ?? error.message);
  }
}
