import { canPay } from '../../../platform/credits/index.ts';
import { lockName, query, sql } from '../../../platform/database/index.ts';
import type { Model } from '../../../platform/model/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import { storable } from '../../../schema/text.ts';
import { ofPresentAgent } from '../agents/entity.ts';
import { embeddingPrice } from '../retrieval/retrieve.ts';
import type { Source } from '../sources/entity.ts';
import { appendChange, scheduleNext } from '../sources/service.ts';

/** The state of a source on which its steps depend. */
export type SourceState = Pick<Source, 'id' | 'agentId' | 'type' | 'status' | 'run' | 'url'> & {
  discovered: boolean;
  /** Milliseconds between two requests that the site asks for. */
  pauseMs: number;
  /** Milliseconds since the crawl began. */
  crawlMs: number;
};

export async function readState({ em, organizationId }: Scope, sourceId: string): Promise<SourceState | undefined> {
  const [state] = await query(
    em,
    sql<SourceState>`select id, agent_id as "agentId", type, status, run, url, discovered_run = run as discovered, crawl_pause_ms as "pauseMs",
              coalesce(extract(epoch from now() - crawl_begun_at) * 1000, 0)::float8 as "crawlMs"
       from agent.sources where id = ${sourceId} and organization_id = ${organizationId}`,
  );
  return state;
}

/** The step that belongs to a state. A source that was deleted, or has ended, has none. */
export function stepOf(state: SourceState | undefined): NextStep {
  const steps: Record<string, StepName> = {
    crawling: state?.discovered ? 'crawlPage' : 'discoverPages',
    chunking: 'chunkSource',
    embedding: 'embedChunks',
  };
  return { step: (state && steps[state.status]) ?? 'done' };
}

/**
 * Starts a queued run when it is its turn, or resumes the current one after a crash. Throws `IngestionFailure` without credits, also for a
 * refresh that would find nothing new.
 */
export async function beginSource(scope: IngestionScope, sourceId: string): Promise<NextStep> {
  const state = await readState(scope, sourceId);
  if (state?.status === 'queued' && !(await canPay(scope, embeddingPrice(1)))) throw new IngestionFailure(OUT_OF_CREDITS);
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    if (!(await isNext(inner, sourceId, scope.perOrganization))) return;
    const [begun] = await query(
      em,
      sql`update agent.sources set status = case type when 'url' then 'crawling' else 'chunking' end, run = run + 1, error = null, crawl_begun_at = now(),
                 page_count = 0, failed_page_count = 0, page_total = 0, staged_count = 0, embedded_count = 0, next_refresh_at = null,
                 sequence = sequence + 1, updated_at = now()
           where id = ${sourceId} and organization_id = ${organizationId} and status = 'queued' returning id`,
    );
    if (!begun) return;
    await query(em, sql`delete from agent.source_discoveries where source_id = ${sourceId}`);
    await query(em, sql`delete from agent.source_changes where source_id = ${sourceId} and at < now() - interval '1 day'`);
    await appendChange(em, sourceId);
  });
  return stepOf(await readState(scope, sourceId));
}

/** Deletes the progress of a run that fails. Vectors that were paid for stay for the next run. */
async function dropProgress({ em }: Scope, { id, run, status }: SourceState): Promise<void> {
  await query(em, sql`delete from agent.source_discoveries where source_id = ${id}`);
  if (status === 'embedding')
    await query(em, sql`delete from agent.staged_chunks where source_id = ${id} and (run < ${run} or embedding_model is null)`);
  // A run that was still crawling has only copies.
  else if (status !== 'queued') await query(em, sql`delete from agent.staged_chunks where source_id = ${id} and run = ${run}`);
}

/** The run was deleted or has moved on while its chunks were written, for example by another attempt of the step. */
export class RunOver extends Error {}

/** Runs a transaction that writes chunks, and rolls it back when it throws `RunOver`. */
export async function writeChunks(scope: Scope, write: (inner: Scope) => Promise<void>): Promise<void> {
  await transaction(scope, write).catch((error: unknown) => {
    if (!(error instanceof RunOver)) throw error;
  });
}

/**
 * Moves a run to its next status, in the transaction of the scope. Returns false if the run is over or has moved on, as after a retry of
 * a step that had completed.
 */
export async function moveSource({ em }: Scope, { id, run, status }: SourceState, to: Source['status']): Promise<boolean> {
  const moved = await query(
    em,
    sql`update agent.sources set status = ${to}, sequence = sequence + 1, updated_at = now(),
               (staged_count, embedded_count) = (
                 select count(*), count(embedding) from agent.staged_chunks where source_id = ${id} and run = ${run})
         where id = ${id} and run = ${run} and status = ${status} returning id`,
  );
  if (moved.length > 0) await appendChange(em, id);
  return moved.length > 0;
}

/**
 * Ends a run with an error. The previous content stays.
 * @param hasBegun whether the run has begun. Then a queued source waits for its next run, as after a retry of this step.
 */
export async function failSource(scope: IngestionScope, sourceId: string, message: string, hasBegun: boolean): Promise<void> {
  await writeChunks(scope, async (inner) => {
    const { em, organizationId } = inner;
    // Before the lock of the source, as in the other steps and in a deletion. Another order would be a deadlock with them.
    const state = await readState(inner, sourceId);
    if (state) await dropProgress(inner, state);
    const failed = await query(
      em,
      sql`update agent.sources set status = 'failed', error = ${storable(message)}, sequence = sequence + 1, updated_at = now()
           where id = ${sourceId} and organization_id = ${organizationId} and status not in ('ready', 'failed')
             and (status <> 'queued' or not ${hasBegun}::boolean) returning id`,
    );
    if (failed.length === 0) throw new RunOver();
    // Otherwise a source that never succeeded would be due at once.
    await query(
      em,
      sql`update agent.sources set next_refresh_at = now() +
            case refresh_interval when 'daily' then interval '1 day' when 'weekly' then interval '7 days' end where id = ${sourceId}`,
    );
    await appendChange(em, sourceId);
    await startNext(inner, scope.perOrganization);
  });
}

/** Schedules the next refresh, in the transaction of the scope. */
export const scheduleRefresh = ({ em }: Scope, sourceId: string) =>
  query(em, sql`update agent.sources set ${scheduleNext} where id = ${sourceId}`);

/**
 * The queued sources of an organization that may begin: those in progress occupy their places, the oldest get the rest. Sources of an agent
 * that is being removed have no place.
 */
const nextQueued = (organizationId: string, limit: number) => sql<{ id: string }>`
  select id from (
    select id, status, row_number() over (order by status = 'queued', queued_at, id) as place from agent.sources s
     where organization_id = ${organizationId} and status not in ('ready', 'failed')
       and ${sql.raw(ofPresentAgent('s'))}) open
   where status = 'queued' and place <= ${limit}`;

/** Concurrent transactions would not see each other's changes of places. Taken after the lock of a source, which prevents deadlocks. */
const lockIngestions = ({ em, organizationId }: Scope) => lockName(em, `ingestions of ${organizationId}`);

/** Whether it is the turn of a queued source. The answer stays valid until the commit. */
async function isNext(scope: Scope, sourceId: string, limit: number): Promise<boolean> {
  const queued = await query(scope.em, sql`select id from agent.sources where id = ${sourceId} and status = 'queued' for update`);
  if (queued.length === 0) return false;
  await lockIngestions(scope);
  const found = await query(scope.em, sql`select id from (${nextQueued(scope.organizationId, limit)}) next where id = ${sourceId}`);
  return found.length > 0;
}

/**
 * Starts the queued sources whose turn it is, in the transaction of the scope. Call it after an ingestion has ended. Does not rely on a
 * message that the relay has claimed: its workflow may have found already that the turn had not come.
 */
export async function startNext(scope: Scope, limit: number): Promise<void> {
  await lockIngestions(scope);
  await query(
    scope.em,
    sql`insert into identity.outbox (topic, payload)
        select 'source.start', jsonb_build_object('sourceId', id, 'organizationId', ${scope.organizationId}::text)
          from (${nextQueued(scope.organizationId, limit)}) next
         where not exists (
           select 1 from identity.outbox o where o.topic = 'source.start' and o.attempts = 0 and o.payload ->> 'sourceId' = next.id::text)`,
  );
}

/** Limits of the crawler. */
export interface CrawlLimits {
  /** Pages per source. */
  pages: number;
  /** Milliseconds between two requests to one host. */
  pauseMs: number;
  /** Milliseconds of a crawl, with all waits for its host. */
  timeMs: number;
}

/** The services and limits that the steps of an ingestion need besides the database. */
export interface IngestionScope extends Scope {
  model: Model;
  outbound: Outbound;
  crawl: CrawlLimits;
  /** Sources of one organization that are indexed at the same time. The others stay queued. */
  perOrganization: number;
  signal?: AbortSignal;
}

export type StepName = 'discoverPages' | 'crawlPage' | 'chunkSource' | 'embedChunks' | 'publishChunks' | 'done';

/** The next step of an ingestion, and milliseconds to wait before it. */
export interface NextStep {
  step: StepName;
  waitMs?: number;
}

/** The error of a source whose organization has no credits for its passages. */
export const OUT_OF_CREDITS = 'Credit limit reached. Please top up your credits, then refresh the source.';

/** The source cannot be indexed. Owners see the message. */
export class IngestionFailure extends Error {
  override name = 'IngestionFailure';
}
