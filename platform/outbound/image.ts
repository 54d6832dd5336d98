import { createHash } from 'node:crypto';
import { readContent } from '../reading/index.ts';
import { ContentFault } from '../reading/task.ts';
import type { Outbound } from './client.ts';
import { OutboundRefused, refusedStatus } from './refusal.ts';

const readable = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type ImageType = (typeof readable)[number];

/** Maximum size of an image. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export interface Image {
  url: string;
  mime: ImageType;
  bytes: Buffer;
  /** SHA-256 of the bytes. */
  contentHash: string;
}

/** Fetch an image. Its content decides the type, not the `Content-Type`. */
export async function readImage(outbound: Outbound, owner: string, url: string, signal?: AbortSignal): Promise<Image> {
  const response = await outbound.request(url, { accept: readable.join(', '), maxBytes: MAX_IMAGE_BYTES, signal });
  if (response.status < 200 || response.status > 299) throw refusedStatus(response.status);
  const detected = await readContent(owner, 'typeOf', response.body, { signal }).catch((error: unknown) => {
    if (!(error instanceof ContentFault)) throw error;
    throw new OutboundRefused(error.reason === 'busy' ? 'timeout' : 'type', 'The image takes too long to read.', { cause: error });
  });
  const mime = readable.find((each) => each === detected);
  if (!mime) throw new OutboundRefused('type', 'The address does not answer with a PNG, JPEG, WebP or GIF image.');
  return { url: response.url, mime, bytes: response.body, contentHash: createHash('sha256').update(response.body).digest('hex') };
}
