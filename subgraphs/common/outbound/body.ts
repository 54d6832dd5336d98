import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { OutboundRefused, refused } from './refusal.ts';

/** Everything a stream gives, but never more than `maxBytes` of it. */
export async function collect(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw refused('too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The first bytes of a stream, which is closed as soon as it has given them. */
export async function beginning(stream: AsyncIterable<Buffer>, bytes: number): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > bytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, bytes), truncated: size > bytes };
}

const unzip = promisify(gunzip);
const decoders: Record<string, (bytes: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: unzip,
  'x-gzip': unzip,
  br: promisify(brotliDecompress),
  // Some servers send the bare stream, others the zlib wrapping that the standard asks for.
  deflate: (bytes, limit) => promisify((bytes[0]! & 0x0f) === 8 ? inflate : inflateRaw)(bytes, limit),
};

/** The codings `unpack` undoes, as a request offers them. */
export const acceptedCodings = 'gzip, deflate, br';

/** Undoes one content coding; stops as soon as more than `maxBytes` comes out. */
export async function unpack(bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer> {
  const name = coding.trim().toLowerCase();
  if (bytes.length === 0 || name === '' || name === 'identity') return bytes;
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (!decoder) throw new OutboundRefused('type', 'The answer is compressed in a way that is not supported.');
  try {
    return await decoder(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw refused('too_large', error);
    throw new OutboundRefused('type', 'The answer could not be decompressed.', { cause: error });
  }
}
