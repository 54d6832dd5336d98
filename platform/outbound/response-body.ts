import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { OutboundRefused, refused } from './refusal.ts';

/** Read a whole stream. Throws when it exceeds `maxBytes`. */
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

/** Read the first bytes of a stream and close it. A stream that fails returns the bytes before its failure. */
export async function readPrefix(stream: AsyncIterable<Buffer>, bytes: number): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      chunks.push(chunk);
      truncated = size > bytes;
      if (truncated) break;
    }
  } catch {
    truncated = true;
  }
  return { body: Buffer.concat(chunks).subarray(0, bytes), truncated };
}

const unzip = promisify(gunzip);
const decoders: Record<string, (bytes: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: unzip,
  'x-gzip': unzip,
  br: promisify(brotliDecompress),
  // Some servers send raw deflate instead of the zlib format that the standard requires.
  deflate: (bytes, limit) => promisify((bytes[0]! & 0x0f) === 8 ? inflate : inflateRaw)(bytes, limit),
};

/** The `accept-encoding` of requests: the codings that `decompress` supports. */
export const acceptedCodings = 'gzip, deflate, br';

/** Decode one content coding. Throws as soon as the output exceeds `maxBytes`. */
export async function decompress(bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer> {
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
