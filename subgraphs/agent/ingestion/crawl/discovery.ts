import { v7 as uuid } from 'uuid';
import { query, sql } from '../../../../platform/database/index.ts';
import { decompress, OutboundRefused } from '../../../../platform/outbound/index.ts';
import { ContentFault } from '../../../../platform/reading/task.ts';
import { type Scope, transaction } from '../../../../platform/scope/index.ts';
import { appendChange } from '../../sources/service.ts';
import { IngestionFailure, type IngestionScope, type NextStep, readState, type SourceState, stepOf } from '../source-state.ts';
import { fetchPage, type Get, isSameHost, MAX_URL, type Rules, readRobots, readSite, rulesOf } from './crawl-request.ts';
import type { Sitemap } from './crawl-tasks.ts';
import { leaseHost } from './hosts.ts';

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
  const hostRequest = { host: site.host, sourceId, pauseMs: Math.max(crawl.pauseMs, rules?.delayMs ?? 0) };
  const lease = await leaseHost(scope.services.pool, hostRequest, signal);
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

/** Milliseconds of all requests of a discovery. A site that takes longer is crawled with the pages found until then. */
const MAX_REQUEST_MS = 2 * 60_000;

/** The progress of a discovery, which makes one request per step. */
interface Discovery {
  /** The rules of the site. */
  robots: string;
  /** Sitemaps that are still to be read. */
  pending: string[];
  /** Sitemaps that were read. */
  seen: string[];
  /** Milliseconds of all requests. */
  requestMs: number;
  /** Milliseconds of processor time for checks of the rules. */
  checkMs: number;
}

/** The progress of the current run; undefined before its first request. */
async function readDiscovery({ em }: Scope, { id, run }: SourceState): Promise<Discovery | undefined> {
  const [discovery] = await query(
    em,
    sql<Discovery>`select robots, pending, seen, request_ms as "requestMs", check_ms as "checkMs"
       from agent.source_discoveries where source_id = ${id} and run = ${run}`,
  );
  return discovery;
}

/** The rules of the site of a source after its discovery; undefined if a newer run replaced this one. */
export async function siteRules({ em, organizationId }: Scope, { id, run, url }: SourceState): Promise<Rules | undefined> {
  const [site] = await query(
    em,
    sql<{
      robots: string;
      checkMs: number;
    }>`select crawl_robots as robots, crawl_check_ms as "checkMs" from agent.sources where id = ${id} and discovered_run = ${run}`,
  );
  return site && url ? rulesOf(organizationId, new URL(url), site.robots, site.checkMs) : undefined;
}

/** Stores the processor time of the checks of `siteRules`, which has a limit for the whole run. */
export const storeCheckTime = ({ em }: Scope, { id, run }: SourceState, rules: Rules) =>
  query(
    em,
    sql`update agent.sources set crawl_check_ms = greatest(crawl_check_ms, ${rules.checkMs()}::int) where id = ${id} and discovered_run = ${run}`,
  );

/** The result of one step. */
interface Step extends Discovery {
  /** Pages that the rules allow. */
  urls: string[];
  /** Milliseconds between two requests that the site asks for. */
  delayMs: number;
}

/** Stores a step once, however often it runs, and ends the discovery after the last one. Throws `IngestionFailure` if no page was found. */
async function storeStep(scope: IngestionScope, state: SourceState, step: Step): Promise<void> {
  await transaction(scope, async (inner) => {
    const stored = await storeProgress(inner, state, step);
    if (!stored) return;
    const total = await insertPages(inner, state, step.urls, scope.crawl.pages);
    if (step.pending.length > 0 && stored.requestMs < MAX_REQUEST_MS && total < scope.crawl.pages) return;
    if (total === 0)
      throw new IngestionFailure(
        state.url && isSitemap(new URL(state.url))
          ? 'The sitemap lists no page that the crawler may read.'
          : 'The file robots.txt of the site does not allow this page.',
      );
    await endDiscovery(inner, state, { ...step, total });
  });
}

const isSitemap = (page: URL): boolean => /\.xml(\.gz)?$/i.test(page.pathname);

/** Returns nothing if another attempt has stored the step, or the run is over. */
async function storeProgress({ em }: Scope, { id, run }: SourceState, step: Step): Promise<{ requestMs: number } | undefined> {
  const { robots, pending, seen, requestMs, checkMs } = step;
  const isFirst = seen.length === 0;
  const [stored] = isFirst
    ? await query(
        em,
        sql<{
          requestMs: number;
        }>`insert into agent.source_discoveries as d (source_id, run, robots, pending, seen, request_ms, check_ms)
            values (${id}, ${run}, ${robots}, ${pending}::text[], '{}', ${requestMs}::int, ${checkMs}::int)
            on conflict (source_id) do update set run = excluded.run, robots = excluded.robots, pending = excluded.pending, seen = '{}',
                   request_ms = excluded.request_ms, check_ms = excluded.check_ms where d.run < excluded.run
            returning request_ms as "requestMs"`,
      )
    : await query(
        em,
        sql<{ requestMs: number }>`update agent.source_discoveries set pending = ${pending}::text[], seen = ${seen}::text[],
                   request_ms = request_ms + ${requestMs}::int, check_ms = ${checkMs}::int
             where source_id = ${id} and run = ${run} and cardinality(seen) = ${seen.length - 1} returning request_ms as "requestMs"`,
      );
  return stored;
}

/** Adds the pages that the run does not have yet, up to its limit. Returns the number of its pages. */
async function insertPages(
  { em, organizationId }: Scope,
  { id, run }: SourceState,
  urls: readonly string[],
  limit: number,
): Promise<number> {
  const countPages = async () => {
    const [pages] = await query(
      em,
      sql<{ count: number }>`select count(*)::int as count from agent.source_pages where source_id = ${id} and run = ${run}`,
    );
    return pages!.count;
  };
  const before = await countPages();
  if (urls.length === 0 || before >= limit) return before;
  const rows = urls.map((url, at) => ({ id: uuid(), url, at }));
  await query(
    em,
    sql`insert into agent.source_pages (id, organization_id, source_id, url, ordinal, run, status)
        select p.id, ${organizationId}, ${id}, p.url, ${before}::int + row_number() over (order by p.at) - 1, ${run}, 'pending'
          from json_to_recordset(${JSON.stringify(rows)}::json) as p (id uuid, url text, at int)
         where not exists (select from agent.source_pages k where k.source_id = ${id} and k.url = p.url and k.run >= ${run})
         order by p.at limit ${limit - before}
        on conflict (source_id, url) do update set ordinal = excluded.ordinal, run = excluded.run, status = 'pending', error = null,
               attempts = 0, fetched = null where source_pages.run < excluded.run`,
  );
  return countPages();
}

async function endDiscovery({ em }: Scope, { id, run }: SourceState, found: Step & { total: number }): Promise<void> {
  await query(em, sql`delete from agent.source_discoveries where source_id = ${id} and run = ${run}`);
  const marked = await query(
    em,
    sql`update agent.sources set discovered_run = run, page_total = ${found.total}, crawl_pause_ms = ${found.delayMs},
               crawl_robots = ${found.robots}, crawl_check_ms = ${found.checkMs}::int, sequence = sequence + 1
         where id = ${id} and run = ${run} and status = 'crawling' returning id`,
  );
  if (marked.length > 0) await appendChange(em, id);
}

/** Bytes of one sitemap, before and after decompression. The protocol permits 50 MB; the page limit is reached long before. */
const MAX_BYTES = 10_000_000;

/** A sitemap that cannot be read lists nothing: a site without one is a single page. */
async function readSitemap(owner: string, address: string, limit: number, get: Get): Promise<Sitemap> {
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
function ownUrls(addresses: readonly string[], site: URL): string[] {
  return addresses.flatMap((address) => {
    const url = URL.parse(address);
    if (!url || !isSameHost(url, site) || url.href.length > MAX_URL || url.username || url.password) return [];
    url.hash = '';
    return [url.href];
  });
}
