import { readState, stepOf } from '../state.ts';
import { IngestionFailure, type IngestionScope, type NextStep } from '../work.ts';
import { type Discovery, isSitemap, readDiscovery, type Step, storeStep } from './discovery.ts';
import { fetchPage } from './fetch.ts';
import { leaseHost } from './hosts.ts';
import { type Rules, readRobots, rulesOf } from './robots.ts';
import { type Get, ownUrls, readSitemap } from './sitemap.ts';

/** Files without readable text, which need no request. */
const MEDIA =
  /\.(?:avif|bmp|css|docx?|eot|exe|gif|gz|ico|iso|jpe?g|js|m4a|mov|mp[34]|pdf|png|pptx?|svg|tar|tiff?|ttf|wav|webm|webp|woff2?|xlsx?|zip)$/i;

/** Sitemaps of one site, including index files. */
const MAX_FILES = 50;
const LATE = 'The crawl reached its time limit before the pages of the site were known.';

/**
 * Finds the pages of a site: the page itself, and those of its sitemaps that `robots.txt` allows. Each step makes one request, unless
 * it is the turn of another source at the host; then it returns how long to wait.
 */
export async function discoverPages(scope: IngestionScope, sourceId: string): Promise<NextStep> {
  const state = await readState(scope, sourceId);
  if (state?.status !== 'crawling' || state.discovered || !state.url) return stepOf(state);
  const site = new URL(state.url);
  const known = await readDiscovery(scope, state);
  const rules = known && (await rulesOf(scope.organizationId, site, known.robots, known.checkMs));
  const { organizationId: owner, outbound, crawl, signal } = scope;
  if (state.crawlMs > crawl.timeMs) throw new IngestionFailure(LATE);
  const turn = { host: site.host, sourceId, pauseMs: Math.max(crawl.pauseMs, rules?.delayMs ?? 0) };
  const lease = await leaseHost(scope.services.pool, turn, signal);
  if ('waitMs' in lease) return { step: 'discoverPages', waitMs: lease.waitMs };
  let requestMs = 0;
  const get: Get = async (url, request) => {
    const begun = performance.now();
    try {
      return await lease.request(() => fetchPage(outbound, url, { ...request, signal }));
    } finally {
      requestMs += Math.ceil(performance.now() - begun);
    }
  };
  const step =
    known && rules ? await readNext(site, known, rules, { owner, get, limit: crawl.pages }) : await readFirst(owner, site, get);
  await storeStep(scope, state, { ...step, requestMs });
  return stepOf(await readState(scope, sourceId));
}

type Reading = Omit<Step, 'requestMs'>;

/** Reads `robots.txt`. */
async function readFirst(owner: string, site: URL, get: Get): Promise<Reading> {
  const robots = await readRobots(site, get);
  const rules = await rulesOf(owner, site, robots);
  const page = new URL(site);
  page.hash = '';
  const listed = ownUrls(rules.sitemaps, site);
  const pending = isSitemap(page) ? [page.href] : listed.length > 0 ? listed : [new URL('/sitemap.xml', page).href];
  const urls = await rules.allowed(isSitemap(page) ? [] : [page.href], 1);
  return { robots, urls, pending: unread(pending, []), seen: [], delayMs: rules.delayMs, checkMs: rules.checkMs() };
}

/** Reads the next sitemap. */
async function readNext(
  site: URL,
  { robots, pending: [address = '', ...rest], seen: before }: Discovery,
  rules: Rules,
  { owner, get, limit }: { owner: string; get: Get; limit: number },
): Promise<Reading> {
  const found = await readSitemap(owner, address, limit, get);
  const seen = [...before, address];
  const pages = ownUrls(found.pages, site).filter((url) => !MEDIA.test(new URL(url).pathname));
  const urls = await rules.allowed([...new Set(pages)], limit);
  const pending = unread([...rest, ...ownUrls(found.sitemaps, site)], seen);
  return { robots, urls, pending, seen, delayMs: rules.delayMs, checkMs: rules.checkMs() };
}

const unread = (sitemaps: readonly string[], seen: readonly string[]): string[] =>
  [...new Set(sitemaps)].filter((each) => !seen.includes(each)).slice(0, Math.max(0, MAX_FILES - seen.length));
