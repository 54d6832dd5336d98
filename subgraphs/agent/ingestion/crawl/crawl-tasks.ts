import { Parser } from 'htmlparser2';
import robotsPackage from 'robots-parser';

/** The types of the package declare a default export, but CommonJS modules are their own default. */
const robotsParser = robotsPackage as unknown as typeof robotsPackage.default;

/** A file of rules, and the name of the crawler in it. */
export interface RulesFile {
  address: string;
  text: string;
  agent: string;
}

/** The requests of a site to its crawlers. */
export interface SiteWishes {
  sitemaps: string[];
  /** Seconds between two requests. */
  delay: number;
}

export interface Sitemap {
  pages: string[];
  /** Sitemaps that an index lists. */
  sitemaps: string[];
}

/** Files of sites that a thread reads. */
export const tasks = {
  readWishes: ({ address, text, agent }: RulesFile): SiteWishes => {
    const robots = robotsParser(address, text);
    return { sitemaps: robots.getSitemaps(), delay: robots.getCrawlDelay(agent) ?? 0 };
  },
  /** The first addresses that the rules allow, up to the limit, and the milliseconds of processor time of the checks. */
  allowed({ address, text, agent, urls, limit }: RulesFile & { urls: readonly string[]; limit: number }) {
    const before = process.threadCpuUsage();
    const robots = robotsParser(address, text);
    const { origin } = new URL(address);
    const found: string[] = [];
    for (const url of urls) {
      if (found.length >= limit) break;
      const { pathname, search } = new URL(url);
      // The parser ignores pages of the other scheme, but http and https are one site here.
      if (robots.isAllowed(origin + pathname + search, agent) !== false) found.push(url);
    }
    const { user, system } = process.threadCpuUsage(before);
    // The system counts the time of a thread in steps of milliseconds, so a short check may show none.
    return { urls: found, ms: Math.max(user + system, urls.length) / 1_000 };
  },
  parseSitemap,
};

const SLICE = 256_000;
/** Real sitemaps have a depth of four. The parser's stack takes quadratic time. */
const MAX_DEPTH = 32;

/** Parses XML, or one URL per line. Linear in the size of the text, and stops at the limit. */
function parseSitemap({ bytes, limit }: { bytes: Uint8Array; limit: number }): Sitemap {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
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
  for (let at = 0; at < text.length && isOpen(); at += SLICE) parser.write(text.slice(at, at + SLICE));
  return found;
}
