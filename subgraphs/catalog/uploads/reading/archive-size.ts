import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { FileFault } from '../file-pages.ts';

const inflate = promisify(inflateRaw);
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 2_000;
const [END, ENTRY, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50];
const [STORED, DEFLATED] = [0, 8];

/**
 * Throws `FileFault` for an archive that decompresses to more than a workbook needs. It decompresses the entries within the limit,
 * because the sizes stated in the archive cannot be trusted.
 */
export async function checkArchiveSize(zip: Buffer): Promise<void> {
  try {
    await unpackAll(zip);
  } catch (error) {
    if (error instanceof FileFault) throw error;
    const bomb = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new FileFault(bomb ? tooLarge : 'the workbook cannot be read', { cause: error });
  }
}

const tooLarge = `the workbook unpacks to more than ${MAX_BYTES / 1024 / 1024} MB`;

async function unpackAll(zip: Buffer): Promise<void> {
  let end = zip.length - 22;
  while (zip.readUInt32LE(end) !== END) end -= 1;
  const count = zip.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw new FileFault('the workbook has too many parts');
  let left = MAX_BYTES;
  let at = zip.readUInt32LE(end + 16);
  for (let n = 0; n < count; n++) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new FileFault('the workbook cannot be read');
    const [method, packed, local] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
    if (zip.readUInt32LE(local) !== LOCAL) throw new FileFault('the workbook cannot be read');
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    if (method !== STORED && method !== DEFLATED) throw new FileFault('the workbook cannot be read');
    // zlib treats a limit of zero as no limit.
    if (left <= 0) throw new FileFault(tooLarge);
    left -= method === STORED ? packed : (await inflate(zip.subarray(start, start + packed), { maxOutputLength: left })).length;
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}
