import { createHash } from 'node:crypto';
import { type PageContent, readContent as readInThread } from '../reading/index.ts';
import { ContentFault } from '../reading/task.ts';
import type { Outbound, OutboundResponse } from './outbound-client.ts';
import { OutboundRefused, refusedStatus } from './refusal.ts';

export interface WebPage extends PageContent {
  url: string;
  /** SHA-256 of the text. */
  contentHash: string;
}

/** Maximum bytes of a response. */
export const MAX_PAGE_BYTES = 5 * 1024 * 1024;
/** The content types that `readContent` supports. */
export const accept = 'text/html, application/xhtml+xml, application/json;q=0.9, text/plain;q=0.8';

/** Fetch a page for an organization and extract its readable content, without navigation and other framing. */
export async function readPage(outbound: Outbound, owner: string, url: string, signal?: AbortSignal): Promise<WebPage> {
  const response = await outbound.ownedBy(owner).request(url, { accept, maxBytes: MAX_PAGE_BYTES, signal });
  const { title, text, images } = await readContent(owner, response, { signal });
  return { url: response.url, title, text, images, contentHash: createHash('sha256').update(text).digest('hex') };
}

/**
 * Extract the readable content of a response. Throws `OutboundRefused` for an error status, unsupported content types, and content that
 * takes too long to read.
 */
export async function readContent(
  owner: string,
  { status, headers, body, url }: OutboundResponse,
  { marksHeadings = false, signal }: { marksHeadings?: boolean; signal?: AbortSignal } = {},
): Promise<PageContent> {
  if (status < 200 || status > 299) throw refusedStatus(status);
  const contentType = headers['content-type'] ?? '';
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  if (!isHtml && type !== 'text/plain' && !/^application\/([\w.-]+\+)?json$/.test(type)) {
    throw new OutboundRefused('type', 'The address answers with content that is not a web page, plain text or JSON.');
  }
  try {
    return await readInThread(owner, 'readBody', { body, contentType, url, isHtml, marksHeadings }, { signal, waitMs: MAX_WAIT });
  } catch (error) {
    throw error instanceof ContentFault ? unreadable(error) : error;
  }
}

/** Milliseconds. Jobs and crawls can wait for a turn. */
const MAX_WAIT = 60_000;

/** A page may be requested again if others kept it from being read. */
const unreadable = (fault: ContentFault) =>
  fault.reason === 'busy'
    ? new OutboundRefused('timeout', 'The page could not be read in time.', { cause: fault })
    : new OutboundRefused('type', 'The page takes too long to read.', { cause: fault });

const readable = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
type ImageType = (typeof readable)[number];

/** Maximum size of an image. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export interface Image {
  url: string;
  mime: ImageType;
  bytes: Buffer;
  /** SHA-256 of the bytes. */
  contentHash: string;
}

/** Fetch an image for an organization. Its content decides the type, not the `Content-Type`. */
export async function readImage(
  outbound: Outbound,
  owner: string,
  url: string,
  signal?: AbortSignal,
  maxBytes = MAX_IMAGE_BYTES,
): Promise<Image> {
  const response = await outbound.ownedBy(owner).request(url, { accept: readable.join(', '), maxBytes, signal });
  if (response.status < 200 || response.status > 299) throw refusedStatus(response.status);
  const detected = await readInThread(owner, 'typeOf', response.body, { signal }).catch((error: unknown) => {
    if (!(error instanceof ContentFault)) throw error;
    throw new OutboundRefused(error.reason === 'busy' ? 'timeout' : 'type', 'The image takes too long to read.', { cause: error });
  });
  const mime = readable.find((each) => each === detected);
  if (!mime) throw new OutboundRefused('type', 'The address does not answer with a PNG, JPEG, WebP or GIF image.');
  return { url: response.url, mime, bytes: response.body, contentHash: createHash('sha256').update(response.body).digest('hex') };
}
