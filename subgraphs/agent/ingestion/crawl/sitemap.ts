import { setImmediate as turn } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { decompress } from '../../../common/outbound/body.ts';
import type { OutboundRequest, OutboundResponse } from '../../../common/outbound/client.ts';
import { OutboundRefused } from '../../../common/outbound/refusal.ts';
import { isSameHost, MAX_URL } from './fetch.ts';

/** Fetches an address of the site, after its turn. */
export type Get = (url: string, request?: OutboundRequest) => Promise<OutboundResponse>;

/** Bytes of one sitemap, before and after decompression. The protocol permits 50 MB; the page limit is reached long before. */
const MAX_BYTES = 10_000_000;
const SLICE = 256_000;
/** Real sitemaps have a depth of four. The parser's stack takes quadratic time. */
const MAX_DEPTH = 32;

export interface Sitemap {
  pages: string[];
  /** Sitemaps that an index lists. */
  sitemaps: string[];
}

/** A sitemap that cannot be read lists nothing: a site without one is a single page. */
export async function readSitemap(address: string, limit: number, get: Get): Promise<Sitemap> {
  try {
    const { status, body } = await get(address, { maxBytes: MAX_BYTES });
    if (status !== 200) return { pages: [], sitemaps: [] };
    const isGzip = body[0] === 0x1f && body[1] === 0x8b;
    const bytes = isGzip ? await decompress(body, 'gzip', MAX_BYTES) : body;
    return await parseSitemap(bytes.toString('utf8'), limit);
  } catch (error) {
    if (error instanceof OutboundRefused) return { pages: [], sitemaps: [] };
    throw error;
  }
}

/** Parses XML, or one URL per line. Linear in the size of the text, and stops at the limit. */
export async function parseSitemap(text: string, limit: number): Promise<Sitemap> {
  const found: Sitemap = { pages: [], sitemaps: [] };
  if (!/^\s*</.test(text.replace(/^\uFEFF/, ''))) {
    const lines = text.split(/\r?\n/, limit * 2).map((line) => line.trim());
    return { ...found, pages: lines.filter((line) => /^https?:\/\//.test(line)).slice(0, limit) };
  }
  let depth = 0;
  let list: string[] | undefined;
  let location: string | undefined;
  const parser: Parser = new Parser(
    {
      onopentagname(name) {
        depth += 1;
        if (depth > MAX_DEPTH) parser.pause();
        if (name === 'url') list = found.pages;
        if (name === 'sitemap') list = found.sitemaps;
        if (name === 'loc' && list) location = '';
      },
      ontext(data) {
        if (location !== undefined && location.length < 4_096) location += data;
      },
      onclosetag(name) {
        depth -= 1;
        if (name === 'url' || name === 'sitemap') list = undefined;
        if (name !== 'loc' || location === undefined) return;
        list?.push(location.trim());
        location = undefined;
      },
    },
    { xmlMode: true },
  );
  const isOpen = () => depth <= MAX_DEPTH && found.pages.length < limit && found.sitemaps.length < limit;
  for (let at = 0; at < text.length && isOpen(); at += SLICE) {
    parser.write(text.slice(at, at + SLICE));
    await turn();
  }
  return found;
}

/** The addresses on the host of the site, without their fragments. */
export function ownUrls(addresses: readonly string[], site: URL): string[] {
  return addresses.flatMap((address) => {
    const url = URL.parse(address);
    if (!url || !isSameHost(url, site) || url.href.length > MAX_URL || url.username || url.password) return [];
    url.hash = '';
    return [url.href];
  });
}
