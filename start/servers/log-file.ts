import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';

export interface LogFile {
  write(line: string): void;
  close(): void;
}

const LIMIT = 10_000_000;

/**
 * Append lines to a file. Above the limit in bytes the file starts again, so that it never fills the disk. A failed write loses its line, and
 * `onFailed` is called once until a write succeeds: a full disk must not end the processes.
 */
export function openLog(path: string, { limit = LIMIT, onFailed }: { limit?: number; onFailed(error: Error): void }): LogFile {
  let file: number | undefined;
  let size = 0;
  let failed = false;
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return {
    write(line) {
      try {
        if (file === undefined) {
          file = openSync(path, 'a');
          size = fstatSync(file).size;
        }
        if (size > limit) {
          ftruncateSync(file);
          size = 0;
        }
        size += writeSync(file, `${line}\n`);
        failed = false;
      } catch (error) {
        if (!failed) onFailed(error as Error);
        failed = true;
      }
    },
    close,
  };
}
