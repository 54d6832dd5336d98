import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const compressible = /\.(?:js|css|html|svg|json|webmanifest)$/;
/** Bytes below which compression saves nothing. */
const SMALLEST = 1_024;
const formats = { br: promisify(brotliCompress), gz: promisify(gzip) };

/** Write compressed copies beside the files of a build, so that no request waits for compression. */
export async function compressFiles(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => compressible.test(file));
  for (const file of files) {
    const path = join(folder, file);
    const content = await readFile(path);
    if (content.length < SMALLEST) continue;
    const copies = Object.entries(formats).map(async ([ending, compress]) =>
      writeFile(`${path}.${ending}`, await compress(content)),
    );
    await Promise.all(copies);
  }
}
