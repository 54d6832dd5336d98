import { decompress, OutboundRefused, type OutboundRequest, type OutboundResponse } from '../../../../platform/outbound/index.ts';
import { ContentFault } from '../../../../platform/reading/task.ts';
import { isSameHost, MAX_URL } from './fetch.ts';
import { readSite } from './site-files.ts';
import type { Sitemap } from './tasks.ts';

/** Fetches an address of the site, after its turn. */
export type Get = (url: string, request?: OutboundRequest) => Promise<OutboundResponse>;

/** Bytes of one sitemap, before and after decompression. The protocol permits 50 MB; the page limit is reached long before. */
const MAX_BYTES = 10_000_000;

/** A sitemap that cannot be read lists nothing: a site without one is a single page. */
export async function readSitemap(owner: string, address: string, limit: number, get: Get): Promise<Sitemap> {
  try {
    const { status, body } = await get(address, { maxBytes: MAX_BYTES });
    if (status !== 200) return { pages: [], sitemaps: [] };
    const isGzip = body[0] === 0x1f && body[1] === 0x8b;
    const bytes = isGzip ? await decompress(body, 'gzip', MAX_BYTES) : body;
    return await readSite(owner, 'parseSitemap', { bytes, limit });
  } catch (error) {
    const isUnreadable = error instanceof ContentFault && error.reason !== 'busy';
    if (error instanceof OutboundRefused || isUnreadable) return { pages: [], sitemaps: [] };
    throw error;
  }
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
