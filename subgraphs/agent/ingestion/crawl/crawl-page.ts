import { createHash } from 'node:crypto';
import { isDataError, query, sql } from '../../../../platform/database/index.ts';
import { accept, OutboundRefused, type OutboundResponse, readContent } from '../../../../platform/outbound/index.ts';
import { linesOf } from '../../../../platform/reading/index.ts';
import { type Scope, transaction } from '../../../../platform/scope/index.ts';
import { log } from '../../../../platform/telemetry/index.ts';
import { storable, truncate } from '../../../../schema/text.ts';
import { chunkLines, type TextChunk } from '../../sources/chunker.ts';
import { appendChange } from '../../sources/service.ts';
import { stageChunks, stageIndexed } from '../publish.ts';
import type { IngestionScope, NextStep } from '../source-state.ts';
import { moveSource, readState, type SourceState, stepOf } from '../source-state.ts';
import type { Rules } from './crawl-request.ts';
import { fetchPage } from './crawl-request.ts';
import { siteRules, storeCheckTime } from './discovery.ts';
import { type HostLease, leaseHost } from './hosts.ts';

/** Requests for a page whose server is overloaded or unreachable. */
const MAX_ATTEMPTS = 3;
const MAX_BYTES = 5_000_000;

interface Page {
  id: string;
  url: string;
  ordinal: number;
  attempts: number;
  etag: string | null;
  lastModified: string | null;
  contentHash: string | null;
}

/** The result of a request for a page. */
type Reading =
  | {
      kind: 'read';
      title: string | null;
      chunks: TextChunk[];
      etag: string | null;
      lastModified: string | null;
      contentHash: string;
    }
  | { kind: 'unchanged' }
  | { kind: 'failed'; error: string; isGone: boolean; retryable: boolean };

const failed = (error: string, retryable = false): Reading => ({ kind: 'failed', error, isGone: false, retryable });
const UNSTORABLE = failed('The content of the page cannot be stored.');
const LATE = failed('The crawl reached its time limit before this page was read.');

/**
 * Reads the next pending page, unless it is the turn of another source at its host; then returns how long to wait. Pages that are left when
 * the time of the crawl is over fail, and keep their earlier content.
 */
export async function crawlPage(scope: IngestionScope, sourceId: string): Promise<NextStep> {
  const state = await readState(scope, sourceId);
  if (state?.status !== 'crawling' || !state.discovered) return stepOf(state);
  const page = await nextPage(scope, state);
  if (!page) {
    await transaction(scope, (inner) => moveSource(inner, state, 'chunking'));
    return stepOf(await readState(scope, sourceId));
  }
  if (state.crawlMs > scope.crawl.timeMs) {
    for (let late: Page | undefined = page; late; late = await nextPage(scope, state)) {
      scope.signal?.throwIfAborted();
      await storeReadable(scope, state, late, LATE);
    }
    return { step: 'crawlPage' };
  }
  const hostRequest = { host: new URL(page.url).host, sourceId, pauseMs: Math.max(scope.crawl.pauseMs, state.pauseMs) };
  const lease = await leaseHost(scope.services.pool, hostRequest, scope.signal);
  if ('waitMs' in lease) return { step: 'crawlPage', waitMs: lease.waitMs };
  await storeReadable(scope, state, page, await readPage(scope, state, page, lease));
  return { step: 'crawlPage' };
}

async function nextPage({ em }: Scope, { id, run }: SourceState): Promise<Page | undefined> {
  const [page] = await query(
    em,
    sql<Page>`select id, url, ordinal, attempts, etag, last_modified as "lastModified", content_hash as "contentHash"
       from agent.source_pages where source_id = ${id} and run = ${run} and status = 'pending' order by attempts, ordinal limit 1`,
  );
  return page;
}

async function readPage(scope: IngestionScope, state: SourceState, page: Page, lease: HostLease): Promise<Reading> {
  const { outbound, signal } = scope;
  const { etag, lastModified } = page;
  const headers = { ...(etag && { 'if-none-match': etag }), ...(lastModified && { 'if-modified-since': lastModified }) };
  let rules: Rules | undefined;
  const mayFollow = async (url: string) => {
    rules ??= await siteRules(scope, state);
    return rules === undefined || (await rules.allowed([url], 1)).length > 0;
  };
  try {
    const response = await lease.request(() =>
      fetchPage(outbound, page.url, { accept, headers, maxBytes: MAX_BYTES, signal, mayFollow }),
    );
    if (response.status === 304 && page.contentHash) return { kind: 'unchanged' };
    return await toReading(scope, response, page);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof OutboundRefused)) throw error;
    const { kind, status = 0, message } = error;
    const isOverloaded = status === 429 || status >= 500;
    return {
      kind: 'failed',
      error: message,
      isGone: status === 404 || status === 410,
      retryable: isOverloaded || kind === 'timeout' || kind === 'unreachable',
    };
  } finally {
    if (rules) await storeCheckTime(scope, state, rules);
  }
}

async function toReading(
  { organizationId, signal }: IngestionScope,
  response: OutboundResponse,
  { contentHash }: Page,
): Promise<Reading> {
  const { status, headers } = response;
  if (status === 429 || status === 503) return failed(`The address answers with status ${status}.`, true);
  const { title, text } = await readContent(organizationId, response, { marksHeadings: true, signal });
  const hash = createHash('sha256')
    .update(JSON.stringify([title, text]))
    .digest('hex');
  if (hash === contentHash) return { kind: 'unchanged' };
  return {
    kind: 'read',
    title: title || null,
    chunks: await chunkLines(linesOf(text), title),
    etag: headerOf(headers.etag, 500),
    lastModified: headerOf(headers['last-modified'], 100),
    contentHash: hash,
  };
}

const headerOf = (value: string | undefined, length: number) => (value === undefined ? null : truncate(value, length));

/** Stores the result. Only a page that PostgreSQL rejects fails; the crawl continues. */
async function storeReadable(scope: IngestionScope, state: SourceState, page: Page, reading: Reading): Promise<void> {
  try {
    await storePage(scope, state, page, reading);
  } catch (error) {
    if (!isDataError(error)) throw error;
    log.error({ err: error, sourceId: state.id, pageId: page.id }, 'Failed to store a page of a source');
    await storePage(scope, state, page, UNSTORABLE);
  }
}

/** Stores the result once, however often the step runs. */
async function storePage(scope: IngestionScope, state: SourceState, page: Page, reading: Reading): Promise<void> {
  await transaction(scope, async (inner) => {
    const { em } = inner;
    const isPostponed = reading.kind === 'failed' && reading.retryable && page.attempts + 1 < MAX_ATTEMPTS;
    const status = isPostponed ? 'pending' : reading.kind;
    const fetched = reading.kind === 'read' ? JSON.stringify({ ...reading, kind: undefined, chunks: undefined }) : null;
    const stored = await query(
      em,
      sql`update agent.source_pages set status = ${status}, attempts = attempts + 1, error = ${reading.kind === 'failed' ? storable(reading.error) : null},
                 fetched = ${fetched}::jsonb, last_seen_at = case when ${reading.kind === 'failed'}::boolean then last_seen_at else now() end
           where id = ${page.id} and run = ${state.run} and status = 'pending' returning id`,
    );
    if (stored.length === 0 || isPostponed) return;
    const place = { pageId: page.id, ordinal: page.ordinal, url: page.url, title: reading.kind === 'read' ? reading.title : null };
    if (reading.kind === 'read') await stageChunks(inner, state, place, reading.chunks, scope.model.embedding);
    // A page that fails temporarily keeps its content; a page that no longer exists (404, 410) loses it.
    else if (reading.kind === 'unchanged' || !reading.isGone) await stageIndexed(inner, state, page.id, page.ordinal);
    await countPage(em, state, reading.kind === 'failed');
  });
}

async function countPage(em: Scope['em'], { id, run }: SourceState, isFailed: boolean): Promise<void> {
  const counted = await query(
    em,
    sql`update agent.sources set page_count = page_count + ${isFailed ? 0 : 1}::int, failed_page_count = failed_page_count + ${isFailed ? 1 : 0}::int,
               sequence = sequence + 1 where id = ${id} and run = ${run} and status = 'crawling' returning id`,
  );
  if (counted.length > 0) await appendChange(em, id);
}
