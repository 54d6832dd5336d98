import { createHash } from 'node:crypto';
import { storable } from '../../../schema/text.ts';
import { decodeText } from './charset.ts';
import type { Outbound } from './client.ts';
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

const longest = 200_000;
const mostImages = 100;
const accept = 'text/html, application/xhtml+xml, application/json;q=0.9, text/plain;q=0.8';

/** Fetches an address and reads it as a person would: what the page says, without what is around it. */
export async function readPage(outbound: Outbound, url: string, signal?: AbortSignal): Promise<Page> {
  const answer = await outbound.request(url, { accept, signal });
  if (answer.status < 200 || answer.status > 299) throw refusedStatus(answer.status);

  const contentType = answer.headers['content-type'] ?? '';
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  if (!isHtml && type !== 'text/plain' && !/^application\/([\w.-]+\+)?json$/.test(type)) {
    throw new OutboundRefused('type', 'The address answers with content that is not a web page, plain text or JSON.');
  }
  const written = decodeText(answer.body, contentType);
  const { title, text, images } = isHtml ? readHtml(written, answer.url) : { title: '', text: written, images: [] };
  const kept = storable(text.slice(0, longest));
  return { url: answer.url, title, text: kept, images, contentHash: createHash('sha256').update(kept).digest('hex') };
}

/** The page as title, lines and pictures; lines it states for machines come first. */
export function readHtml(html: string, url: string): Pick<Page, 'title' | 'text' | 'images'> {
  const root = parseHtml(html);
  const head = readHead(root);
  const { text, images } = readText(root, longest);
  const stated = statedImages(head).map((src) => ({ src, alt: '' }));
  return {
    title: storable(tidy(head.title).replaceAll('\n', ' ').slice(0, 500)),
    text: [...statedLines(head), text].filter(Boolean).join('\n'),
    images: absolute([...stated, ...images], URL.canParse(head.base, url) ? new URL(head.base, url).href : url),
  };
}

/** Each picture once, by an address that can be asked for. */
function absolute(tags: ImageTag[], base: string): Page['images'] {
  const found = new Map<string, string>();
  for (const { src, alt } of tags) {
    if (found.size >= mostImages) break;
    if (src.length > 2_000 || !src.trim() || !URL.canParse(src, base)) continue;
    const { protocol, href } = new URL(src, base);
    if (/^https?:$/.test(protocol)) found.set(href, found.get(href) || storable(alt).slice(0, 500));
  }
  return Array.from(found, ([url, alt]) => ({ url, alt }));
}
