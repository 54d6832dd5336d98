import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import type { Outbound } from './client.ts';
import { OutboundRefused, refusedStatus } from './refusal.ts';

const readable = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type ImageType = (typeof readable)[number];

export interface Image {
  url: string;
  mime: ImageType;
  bytes: Buffer;
  /** SHA-256 of the bytes. */
  contentHash: string;
}

/** Fetches a picture; what it is, its content says, not its server. */
export async function readImage(outbound: Outbound, url: string, signal?: AbortSignal): Promise<Image> {
  const answer = await outbound.request(url, { accept: readable.join(', '), maxBytes: 5 * 1024 * 1024, signal });
  if (answer.status < 200 || answer.status > 299) throw refusedStatus(answer.status);
  const found = await fileTypeFromBuffer(answer.body);
  const mime = readable.find((each) => each === found?.mime);
  if (!mime) throw new OutboundRefused('type', 'The address does not answer with a PNG, JPEG, WebP or GIF image.');
  return { url: answer.url, mime, bytes: answer.body, contentHash: createHash('sha256').update(answer.body).digest('hex') };
}
