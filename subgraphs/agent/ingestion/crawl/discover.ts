import { setImmediate as nextTurn } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import { query, sql } from '../../../common/database.ts';
import { transaction } from '../../../common/scope.ts';
import { appendChange } from '../../sources/changes.ts';
import { readState, type SourceState, stepOf } from '../state.ts';
import { IngestionFailure, type IngestionScope, type NextStep } from '../work.ts';
import { fetchPage } from './fetch.ts';
import { withHost } from './hosts.ts';
import { readRules } from './robots.ts';
import { type Get, readSitemaps } from './sitemap.ts';

/** Files without readable text, which need no request. */
const MEDIA =
  /\.(?:avif|bmp|css|docx?|eot|exe|gif|gz|ico|iso|jpe?g|js|m4a|mov|mp[34]|pdf|png|pptx?|svg|tar|tiff?|ttf|wav|webm|webp|woff2?|xlsx?|zip)$/i;

/** Finds the pages of a site: the page itself, and those of its sitemaps that `robots.txt` allows. */
export async function discoverPages(scope: IngestionScope, sourceId: string): Promise<NextStep> {
  const state = await readState(scope, sourceId);
  if (state?.status !== 'crawling' || state.discovered || !state.url) return stepOf(state);
  const { urls, delayMs } = await findPages(scope, new URL(state.url));
  await transaction(scope, async ({ em, organizationId }) => {
    const rows = urls.map((url, ordinal) => ({ id: uuid(), url, ordinal }));
    await query(
      em,
      sql`insert into agent.source_pages (id, organization_id, source_id, url, ordinal, run, status)
          select p.id, ${organizationId}, ${sourceId}, p.url, p.ordinal, ${state.run}, 'pending'
            from json_to_recordset(${JSON.stringify(rows)}::json) as p (id uuid, url text, ordinal int)
          on conflict (source_id, url) do update set ordinal = excluded.ordinal, run = excluded.run, status = 'pending', error = null,
                 attempts = 0, fetched = null`,
    );
    await markDiscovered(em, state, { total: urls.length, delayMs });
  });
  return stepOf(await readState(scope, sourceId));
}

async function markDiscovered(
  em: IngestionScope['em'],
  { id, run }: SourceState,
  { total, delayMs }: { total: number; delayMs: number },
): Promise<void> {
  const marked = await query(
    em,
    sql`update agent.sources set discovered_run = run, page_total = ${total}, crawl_pause_ms = ${delayMs}, sequence = sequence + 1
         where id = ${id} and run = ${run} and status = 'crawling' returning id`,
  );
  if (marked.length > 0) await appendChange(em, id);
}

async function findPages(
  { services, outbound, crawl, signal }: IngestionScope,
  start: URL,
): Promise<{ urls: string[]; delayMs: number }> {
  let pauseMs = crawl.pauseMs;
  const get: Get = (url, request) =>
    withHost(services.pool, { host: start.host, pauseMs, signal }, () => fetchPage(outbound, url, { ...request, signal }));
  const page = new URL(start);
  page.hash = '';
  const rules = await readRules(start, get);
  pauseMs = Math.max(pauseMs, rules.delayMs);
  const isSitemap = /\.xml(\.gz)?$/i.test(page.pathname);
  const known = rules.sitemaps.length > 0 ? rules.sitemaps : [new URL('/sitemap.xml', page).href];
  const listed = await readSitemaps(start, isSitemap ? [page.href] : known, crawl.pages, get);
  const readable = listed.filter((url) => !MEDIA.test(new URL(url).pathname));
  const urls = [...new Set([...(isSitemap ? [] : [page.href]), ...readable])];
  const allowed: string[] = [];
  for (const url of urls) {
    if (allowed.length >= crawl.pages) break;
    if (rules.isAllowed(url)) allowed.push(url);
    // A check may take long; other work of the process goes on between two checks.
    await nextTurn();
  }
  if (allowed.length === 0)
    throw new IngestionFailure(
      isSitemap ? 'The sitemap lists no page that may be read.' : 'The file robots.txt of the site forbids to read the page.',
    );
  return { urls: allowed, delayMs: rules.delayMs };
}
