import { truncate } from '../../schema/text.ts';
import { decodeText } from './charset.ts';
import { readHead } from './head.ts';
import { statedImages, statedLines } from './product.ts';
import { type ImageTag, readText, tidy } from './text.ts';
import { parseHtml } from './tree.ts';

/** The readable content of a page. */
export interface PageContent {
  title: string;
  text: string;
  images: { url: string; alt: string }[];
}

/** Maximum characters of a text. */
export const MAX_TEXT = 200_000;
const MAX_IMAGES = 100;

/** The body of a response. */
export interface PageBody {
  body: Uint8Array;
  contentType: string;
  url: string;
  isHtml: boolean;
  /** Mark headings, for `linesOf`. */
  marksHeadings: boolean;
}

/** Extract the readable content of a body. */
export function readBody({ body, contentType, url, isHtml, marksHeadings }: PageBody): PageContent {
  const source = decodeText(Buffer.from(body.buffer, body.byteOffset, body.byteLength), contentType);
  const { title, text, images } = isHtml ? readHtml(source, url, marksHeadings) : { title: '', text: source, images: [] };
  return { title, text: truncate(text, MAX_TEXT), images };
}

/** Extract title, text and images. Lines from the metadata come first. */
export function readHtml(html: string, url: string, marksHeadings = false): PageContent {
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
function absolute(tags: ImageTag[], base: string): PageContent['images'] {
  const found = new Map<string, string>();
  for (const { src, alt } of tags) {
    if (found.size >= MAX_IMAGES) break;
    if (src.length > 2_000 || !src.trim() || !URL.canParse(src, base)) continue;
    const { protocol, href } = new URL(src, base);
    if (/^https?:$/.test(protocol)) found.set(href, found.get(href) || truncate(alt, 500));
  }
  return Array.from(found, ([url, alt]) => ({ url, alt }));
}
