import { createHash } from 'node:crypto';
import { truncate } from '../../../schema/text.ts';
import { decodeText } from './charset.ts';
import type { Outbound, OutboundResponse } from './client.ts';
import { readHead } from './head.ts';
import { statedImages, statedLines } from './product.ts';
import { OutboundRefused, refusedStatus } from './refusal.ts';
import { type ImageTag, readText, tidy } from './text.ts';
import { parseHtml } from './tree.ts';

export interface Page {
  url: string;
  title: string;
  text: string;
  images: { url: string; alt: string }[];
  /** SHA-256 of the text. */
  contentHash: string;
}

/** Maximum characters of a text, and bytes of a response. */
export const [MAX_TEXT, MAX_PAGE_BYTES] = [200_000, 5 * 1024 * 1024];
const MAX_IMAGES = 100;
/** The content types that `readContent` supports. */
export const accept = 'text/html, application/xhtml+xml, application/json;q=0.9, text/plain;q=0.8';

/** Fetch a page and extract its readable content, without navigation and other framing. */
export async function readPage(outbound: Outbound, url: string, signal?: AbortSignal): Promise<Page> {
  const response = await outbound.request(url, { accept, maxBytes: MAX_PAGE_BYTES, signal });
  const { title, text, images } = readContent(response);
  return { url: response.url, title, text, images, contentHash: createHash('sha256').update(text).digest('hex') };
}

/** Extract the readable content of a response. Throws `OutboundRefused` for an error status and unsupported content types. */
export function readContent(
  { status, headers, body, url }: OutboundResponse,
  { marksHeadings = false } = {},
): Pick<Page, 'title' | 'text' | 'images'> {
  if (status < 200 || status > 299) throw refusedStatus(status);
  const contentType = headers['content-type'] ?? '';
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  if (!isHtml && type !== 'text/plain' && !/^application\/([\w.-]+\+)?json$/.test(type)) {
    throw new OutboundRefused('type', 'The address answers with content that is not a web page, plain text or JSON.');
  }
  const source = decodeText(body, contentType);
  const { title, text, images } = isHtml ? readHtml(source, url, marksHeadings) : { title: '', text: source, images: [] };
  return { title, text: truncate(text, MAX_TEXT), images };
}

/** Extract title, text and images. Lines from the metadata come first. */
export function readHtml(html: string, url: string, marksHeadings = false): Pick<Page, 'title' | 'text' | 'images'> {
  const root = parseHtml(html);
  const head = readHead(root);
  const { text, images } = readText(root, MAX_TEXT, marksHeadings);
  const stated = statedImages(head).map((src) => ({ src, alt: '' }));
  return {
    title: truncate(tidy(head.title).replaceAll('\n', ' '), 500),
    text: [...statedLines(head), text].filter(Boolean).join('\n'),
    images: absolute([...stated, ...images], URL.canParse(head.base, url) ? new URL(head.base, url).href : url),
  };
}

/** Resolve image URLs, without duplicates and URLs that cannot be fetched. */
function absolute(tags: ImageTag[], base: string): Page['images'] {
  const found = new Map<string, string>();
  for (const { src, alt } of tags) {
    if (found.size >= MAX_IMAGES) break;
    if (src.length > 2_000 || !src.trim() || !URL.canParse(src, base)) continue;
    const { protocol, href } = new URL(src, base);
    if (/^https?:$/.test(protocol)) found.set(href, found.get(href) || truncate(alt, 500));
  }
  return Array.from(found, ([url, alt]) => ({ url, alt }));
}
