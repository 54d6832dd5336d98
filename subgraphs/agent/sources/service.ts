import type { Pool } from 'pg';
import { findById, isId, query, readRows, sql } from '../../../platform/database/index.ts';
import { columnReader, listPage } from '../../../platform/lists/index.ts';
import { requireReachable } from '../../../platform/outbound/index.ts';
import { type ChangeLog, PAGE_SIZE, withRetry } from '../../../platform/progress/index.ts';
import { post } from '../../../platform/queues/index.ts';
import { fresh, type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { ofPresentAgent } from '../agents/entity.ts';
import { removeSource } from '../agents/removal.ts';
import { findAgent, holdAgent, lockSources, requirePublished } from '../agents/service.ts';
import type { NewSource, SourceChange, SourcePagesArguments, SourceUpdate, SuspiciousPassage } from './entity.ts';
import { Source, SourcePage } from './entity.ts';

export const MAX_SOURCES = 200;

/** The sources of an agent without their content, newest first. */
export async function listSources(scope: Scope, agentId: string): Promise<Source[]> {
  const { id } = await findAgent(scope, agentId);
  const rows = { where: { agentId: id }, orderBy: { createdAt: 'desc', id: 'desc' } } as const;
  return readRows(scope, Source, rows, { limit: MAX_SOURCES, offset: 0 });
}

/** Throws `NOT_FOUND`, also when `agentId` is another agent than that of the source, or while its agent is removed. */
export async function findSource(scope: Scope, id: string, agentId?: string): Promise<Source> {
  const [source] = isId(id)
    ? await readRows(scope, Source, { where: { id }, matching: () => ofPresentAgent('r'), isPrepared: true })
    : [];
  if (!source || (agentId !== undefined && source.agentId !== agentId.toLowerCase())) return notFound();
  return source;
}

/** Creates a source and queues its ingestion. */
export async function createSource(scope: RequestScope, given: string, input: NewSource): Promise<Source> {
  const agentId = await requirePublished(scope, given);
  // Fails before the DNS lookup. The transaction repeats the check, because only its lock keeps the count valid.
  await requireRoom(scope, agentId);
  await checkContent(scope, input);
  return scope.write(async (inner) => {
    const { em, organizationId } = inner;
    await holdAgent(inner, agentId);
    await lockSources(inner, agentId);
    await requireRoom(inner, agentId);
    const { type, name, url = null, text = null, qa = null, refreshInterval } = input;
    const source = em.create(Source, {
      ...{ organizationId, agentId, type, name, url: url && new URL(url).href, text },
      qa: qa?.map(({ question, answer }) => ({ question, answer })) ?? null,
      refreshInterval: refreshInterval ?? 'never',
      sequence: 1,
    });
    await em.flush();
    await queueSource(inner, source.id);
    return source;
  });
}

/** Logs the state of a queued source and starts its ingestion, in the transaction of the scope. */
export async function queueSource(scope: Scope, sourceId: string): Promise<void> {
  await appendChange(scope.em, sourceId);
  await post(scope, 'source.start', { sourceId, organizationId: scope.organizationId });
}

/** Throws `UNPROCESSABLE` if the agent has no room for this number of new sources. */
export async function requireRoom({ em }: Scope, agentId: string, count = 1): Promise<void> {
  if ((await em.count(Source, { agentId })) + count > MAX_SOURCES)
    throw fail('UNPROCESSABLE', `An agent has at most ${MAX_SOURCES} sources.`);
}

/** Changes the given fields. Throws `NOT_FOUND`. */
export async function updateSource(scope: Scope, id: string, { name, refreshInterval }: SourceChange): Promise<Source> {
  const { em } = scope;
  const source = await findById(em, Source, id, 'Source');
  if (refreshInterval && source.type !== 'url') requireUrl();
  if (name !== undefined) source.name = name;
  if (refreshInterval !== undefined) source.refreshInterval = refreshInterval;
  await em.flush();
  if (refreshInterval !== undefined) await query(em, sql`update agent.sources set ${scheduleNext} where id = ${id}`);
  return findSource(scope, id);
}

/** SQL that sets the time of the next refresh from the interval and the time of the last one. */
export const scheduleNext = sql`next_refresh_at = coalesce(last_indexed_at, now()) +
  case refresh_interval when 'daily' then interval '1 day' when 'weekly' then interval '7 days' end`;

/** Queues the ingestion of a source again. Throws `UNPROCESSABLE` while it runs. */
export async function refreshSource(scope: Scope, given: string): Promise<Source> {
  const { id, agentId } = await findSource(scope, given);
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    await holdAgent(inner, agentId);
    const queued = await query(
      em,
      sql`update agent.sources set status = 'queued', queued_at = now(), error = null, sequence = sequence + 1, updated_at = now()
           where id = ${id} and organization_id = ${organizationId} and status in ('ready', 'failed') returning id`,
    );
    if (queued.length === 0) throw fail('UNPROCESSABLE', 'Source cannot be refreshed while it is being indexed');
    await queueSource(inner, id);
  });
  return findSource(fresh(scope), id);
}

/** Deletes a source with its content and stops its ingestion. Throws `NOT_FOUND`. */
export async function deleteSource(scope: Scope, id: string, agentId?: string) {
  const source = await findSource(scope, id, agentId);
  await transaction(scope, async (inner) => {
    if (!(await removeSource(inner, source.id))) notFound();
    await post(inner, 'source.stop', { sourceId: source.id, organizationId: inner.organizationId });
  });
  return { id: source.id, deleted: true };
}

/** The pages of a source, in the order in which they were found. */
export async function listPages(scope: Scope, { sourceId, status, ...page }: SourcePagesArguments) {
  const { id } = await findSource(scope, sourceId);
  const where = { sourceId: id, ...(status && { status }) };
  return listPage(scope, SourcePage, { where, orderBy: { ordinal: 'asc' } }, page);
}

export const MAX_SUSPICIOUS = 20;

/** The first passages of a source that read like instructions. Batches the sources of a list into one query. */
export async function suspiciousOf(scope: RequestScope, sourceId: string): Promise<SuspiciousPassage[]> {
  const read = scope.batch('suspicious passages', async (ids) => {
    const found = await query(
      scope.em,
      sql<SuspiciousPassage & { sourceId: string }>`
        select s.id as "sourceId", c.* from agent.sources s cross join lateral (
          select id, url, title, page, headings, text from agent.chunks
           where source_id = s.id and suspicious order by position limit ${MAX_SUSPICIOUS}) c
         where s.id = any(${ids}::uuid[]) and s.organization_id = ${scope.organizationId}`,
    );
    return Map.groupBy(found, (passage) => passage.sourceId);
  });
  return (await read(sourceId)) ?? [];
}

export const textOf = columnReader(Source, 'text');
export const questionsOf = columnReader(Source, 'qa');

function notFound(): never {
  throw fail('NOT_FOUND', 'Source not found');
}

const CONTENTS = ['url', 'text', 'qa'] as const;
/** Characters of all questions and answers. */
const MAX_QA = 2_000_000;
/** Characters of the address that a source stores. A longer one does not fit the index of its pages. */
const MAX_URL = 2_048;

/** Checks that a new source has the content of its type and no other. Resolves the host of a URL. Throws `INVALID_INPUT`. */
async function checkContent(scope: Scope, input: NewSource): Promise<void> {
  const { type, url, qa, refreshInterval } = input;
  for (const name of CONTENTS) {
    const isSent = input[name] !== undefined && input[name] !== null;
    if (name === type && !isSent) refuse(`${name} is required for the type ${type}`);
    if (name !== type && isSent) refuse(`${name} must not be set for the type ${type}`);
  }
  if (refreshInterval && type !== 'url') requireUrl();
  const size = qa?.reduce((sum, { question, answer }) => sum + question.length + answer.length, 0) ?? 0;
  if (size > MAX_QA) refuse(`qa must be at most ${MAX_QA} characters in total`);
  if (!url) return;
  if ((URL.parse(url)?.href.length ?? 0) > MAX_URL) refuse(`url must be at most ${MAX_URL} characters when it is percent-encoded`);
  await requireReachable(scope, url);
}

/** Throws `INVALID_INPUT`: only pages can be read again. */
const requireUrl = (): never => refuse('refreshInterval is only for the type url');

function refuse(fault: string): never {
  throw fail('INVALID_INPUT', fault);
}

const COUNTS = 'page_count, failed_page_count, page_total, staged_count, embedded_count, chunk_count';

/**
 * Appends the current state of a source to its log, which notifies subscribers on commit. The caller must have incremented `sequence` in
 * the same transaction.
 */
export async function appendChange(em: Scope['em'], sourceId: string): Promise<void> {
  await query(
    em,
    sql`insert into agent.source_changes (source_id, sequence, status, error, ${sql.raw(COUNTS)})
        select id, sequence, status, error, ${sql.raw(COUNTS)} from agent.sources where id = ${sourceId}`,
  );
}

const READ = `
  select c.source_id as "sourceId", c.sequence::float8 as sequence, c.status, c.error, c.page_count as "pageCount",
         c.failed_page_count as "failedPageCount", c.page_total as "pageTotal", c.staged_count as "stagedCount",
         c.embedded_count as "embeddedCount", c.chunk_count as "chunkCount", false as "isSnapshot"
    from agent.source_changes c join agent.sources s on s.id = c.source_id
   where c.source_id = $1 and s.organization_id = $2 and c.sequence > $3 and c.sequence <= $4 order by c.sequence limit ${PAGE_SIZE}`;

const isEnded = (status: string): boolean => status === 'ready' || status === 'failed';

const STATE_COLUMNS = ['status', 'sequence'] as const;

const RETAINED = `
  select from agent.source_changes c join agent.sources s on s.id = c.source_id
   where c.source_id = $1 and s.organization_id = $2 and c.sequence = $3 + 1`;

/** The changes of knowledge sources. A later run continues the numbers. */
export const sourceLog: ChangeLog<SourceUpdate, SourceUpdate> = {
  channel: 'source_changes',
  async read({ services, organizationId }, sourceId, after, upTo = Number.MAX_SAFE_INTEGER) {
    const { rows } = await services.pool.query<SourceUpdate>({
      name: 'source changes',
      text: READ,
      values: [sourceId, organizationId, after, upTo],
    });
    return rows;
  },
  /** The numbers of a source have no gaps, so a missing next change has expired. */
  async retains({ services, organizationId }, sourceId, after) {
    const { rowCount } = await services.pool.query(RETAINED, [sourceId, organizationId, after]);
    return rowCount === 1;
  },
  /** Keeps the last change of each status. */
  merge: (changes) => changes.filter(({ status }, at) => changes[at + 1]?.status !== status),
  isEnded,
  async hasEnded(scope, sourceId, seen) {
    const [source] = await readRows(scope, Source, { columns: STATE_COLUMNS, where: { id: sourceId } });
    return !source || (isEnded(source.status) && source.sequence <= seen);
  },
};

/** The state of a source at its latest change, which never expires, as an update. */
export async function* snapshotOf(scope: Scope, { id, sequence }: Source): AsyncGenerator<SourceUpdate, void, void> {
  const [state] = await withRetry(() => sourceLog.read(scope, id, sequence - 1, sequence));
  if (state) yield { ...state, isSnapshot: true };
}

/** Sources that one call queues. The rest waits for the next call, a minute later. */
const LIMIT = 200;

const QUEUE = `
  with due as (
    select id, organization_id from agent.sources s where next_refresh_at <= now() and status in ('ready', 'failed')
       and ${ofPresentAgent('s')}
     order by next_refresh_at limit ${LIMIT} for update skip locked),
  queued as (
    update agent.sources s set status = 'queued', queued_at = now(), error = null, next_refresh_at = null, sequence = sequence + 1
      from due where s.id = due.id returning s.*),
  logged as (
    insert into agent.source_changes (source_id, sequence, status, page_count, failed_page_count, page_total, staged_count, embedded_count, chunk_count)
    select id, sequence, status, page_count, failed_page_count, page_total, staged_count, embedded_count, chunk_count from queued)
  insert into identity.outbox (topic, payload)
  select 'source.start', jsonb_build_object('sourceId', id, 'organizationId', organization_id) from queued`;

/** Queues the ingestion of the sources whose refresh is due, and forgets hosts that nobody crawls. Any number of processes may call it. */
export async function refreshDue(pool: Pool): Promise<number> {
  await pool.query(
    `delete from agent.crawl_hosts where busy_until < now() - interval '1 day' and free_at < now() - interval '1 day'`,
  );
  await pool.query(`delete from agent.crawl_turns where wanted_until < now() - interval '1 day'`);
  const { rowCount } = await pool.query(QUEUE);
  return rowCount ?? 0;
}
