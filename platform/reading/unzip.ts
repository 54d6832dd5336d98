import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { ContentFault } from './task.ts';

const inflate = promisify(inflateRaw);
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 2_000;
const [END, ENTRY, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50];
const [STORED, DEFLATED] = [0, 8];

/**
 * The entries of a zip archive, unpacked one after the other. Throws `ContentFault` for an archive that unpacks to more than an office
 * document needs: the sizes that it states cannot be trusted.
 * @param what the file in the messages, such as `the workbook`
 * @param isWanted by default, all entries are unpacked
 */
export async function* unpack(
  zip: Buffer,
  what: string,
  isWanted = (_name: string) => true,
): AsyncGenerator<{ name: string; content: Buffer }, void, void> {
  const unreadable = (cause?: unknown) => new ContentFault(`${what} cannot be read`, { cause });
  const tooLarge = (cause?: unknown) => new ContentFault(`${what} unpacks to more than ${MAX_BYTES / 1024 / 1024} MB`, { cause });
  let left = MAX_BYTES;
  try {
    let end = zip.length - 22;
    while (zip.readUInt32LE(end) !== END) end -= 1;
    const count = zip.readUInt16LE(end + 10);
    if (count > MAX_ENTRIES) throw new ContentFault(`${what} has too many parts`);
    let at = zip.readUInt32LE(end + 16);
    for (let n = 0; n < count; n++) {
      if (zip.readUInt32LE(at) !== ENTRY) throw unreadable();
      const nameEnd = at + 46 + zip.readUInt16LE(at + 28);
      const name = zip.toString('utf8', at + 46, nameEnd);
      const [method, packed, local] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
      at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
      if (!isWanted(name)) continue;
      if (zip.readUInt32LE(local) !== LOCAL) throw unreadable();
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      if (method !== STORED && method !== DEFLATED) throw unreadable();
      // zlib treats a limit of zero as no limit.
      if (left <= 0) throw tooLarge();
      const bytes = zip.subarray(start, start + packed);
      const content = method === STORED ? bytes : await inflate(bytes, { maxOutputLength: left });
      left -= content.length;
      yield { name, content };
    }
  } catch (error) {
    if (error instanceof ContentFault) throw error;
    throw (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(error) : unreadable(error);
  }
}
