import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { TextChunk } from '../sources/chunker.ts';
import { appendChange } from '../sources/service.ts';
import {
  IngestionFailure,
  type IngestionScope,
  type NextStep,
  RunOver,
  readState,
  type SourceState,
  scheduleRefresh,
  startNext,
  stepOf,
  writeChunks,
} from './source-state.ts';

/** Where staged chunks belong: a page, or the whole source. */
interface Place {
  pageId: string | null;
  ordinal: number;
  url: string | null;
  title: string | null;
}

const CONTENT = 'page_id, url, title, page, headings, context, text, tokens, content_hash, suspicious, embedding_model, embedding';

/**
 * Replaces the staged chunks of one place, in the transaction of the scope. Chunks that are already indexed, or that a failed run has
 * embedded, bring their vectors.
 */
export async function stageChunks(
  { em }: Scope,
  { id, run }: SourceState,
  { pageId, ordinal, url, title }: Place,
  chunks: readonly TextChunk[],
  embeddingModel: string,
): Promise<void> {
  await query(em, sql`delete from agent.staged_chunks where source_id = ${id} and run = ${run} and ordinal = ${ordinal}`);
  await query(
    em,
    sql`insert into agent.staged_chunks (source_id, run, ordinal, part, ${sql.raw(CONTENT)})
        select ${id}::uuid, ${run}::int, ${ordinal}::int, c.part, ${pageId}::uuid, ${url}::text, ${title}::text, c.page,
               array(select json_array_elements_text(c.headings)), c.context, c.text, c.tokens, c."contentHash", c.suspicious, known.embedding_model, known.embedding
          from json_to_recordset(${JSON.stringify(chunks.map((chunk, part) => ({ ...chunk, part })))}::json)
               as c (part int, page int, headings json, context text, text text, tokens int, "contentHash" text, suspicious bool)
          left join lateral (
            select k.embedding_model, k.embedding from agent.chunks k
             where k.source_id = ${id} and k.content_hash = c."contentHash" and k.embedding_model = ${embeddingModel}
            union all
            select p.embedding_model, p.embedding from agent.staged_chunks p
             where p.source_id = ${id} and p.run < ${run} and p.content_hash = c."contentHash" and p.embedding_model = ${embeddingModel}
             limit 1) known on true`,
  );
}

/** Stages the indexed chunks of a page again, in the transaction of the scope. */
export async function stageIndexed({ em }: Scope, { id, run }: SourceState, pageId: string, ordinal: number): Promise<void> {
  await query(em, sql`delete from agent.staged_chunks where source_id = ${id} and run = ${run} and ordinal = ${ordinal}`);
  await query(
    em,
    sql`insert into agent.staged_chunks (source_id, run, ordinal, part, ${sql.raw(CONTENT)})
        select source_id, ${run}::int, ${ordinal}::int, (row_number() over (order by position))::int, ${sql.raw(CONTENT)}
          from agent.chunks where source_id = ${id} and page_id = ${pageId}`,
  );
}

/** Deletes what failed runs have embedded, in the transaction of the scope. Call it when all chunks of the run are staged. */
export async function dropEarlier({ em }: Scope, { id, run }: SourceState): Promise<void> {
  await query(em, sql`delete from agent.staged_chunks where source_id = ${id} and run < ${run}`);
}

/** Pages with the same passage from which on it counts as a part of the layout. */
const LAYOUT = 5;

/** Keeps one copy of passages that many pages repeat, such as a notice, in the transaction of the scope. */
export async function dropRepeated({ em }: Scope, { id, run }: SourceState): Promise<void> {
  await query(
    em,
    sql`delete from agent.staged_chunks s using (
          select ordinal, part, row_number() over (partition by md5(text) order by ordinal, part) as copy,
                 count(*) over (partition by md5(text)) as copies
            from agent.staged_chunks where source_id = ${id} and run = ${run}) r
         where s.source_id = ${id} and s.run = ${run} and s.ordinal = r.ordinal and s.part = r.part and r.copy > 1 and r.copies >= ${LAYOUT}`,
  );
}

/** Rows per statement. The vector index takes milliseconds for each, and a statement may take 30 seconds. */
const BATCH = 200;

/** Replaces the indexed chunks by the staged ones in one transaction, so no question is answered from half of them. */
export async function publishChunks(scope: IngestionScope, sourceId: string): Promise<NextStep> {
  const state = await readState(scope, sourceId);
  if (state?.status !== 'embedding') return stepOf(state);
  const [staged] = await query(
    scope.em,
    sql<{
      count: number;
    }>`select count(*)::int as count from agent.staged_chunks where source_id = ${sourceId} and run = ${state.run}`,
  );
  requireContent(staged!.count, state.type === 'url' ? await reasonOf(scope, state) : 'The source contains no text.');
  await writeChunks(scope, (inner) => replaceChunks(inner, state, scope.perOrganization));
  return { step: 'done' };
}

/** Names the fault of the first page that failed. */
async function reasonOf({ em }: Scope, { id, run }: SourceState): Promise<string> {
  const [failed] = await query(
    em,
    sql<{ url: string; error: string }>`select url, error from agent.source_pages
       where source_id = ${id} and run = ${run} and status = 'failed' order by ordinal limit 1`,
  );
  return failed ? `No page could be read. ${failed.url}: ${failed.error}` : 'The pages contain no text.';
}

async function replaceChunks(scope: Scope, state: SourceState, perOrganization: number): Promise<void> {
  const { em, organizationId } = scope;
  const { id, run, agentId } = state;
  await query(em, sql`delete from agent.chunks where source_id = ${id}`);
  for (let from = 0; ; from += BATCH) {
    const written = await query(
      em,
      // The id of a passage stays the same as long as its content does.
      sql`insert into agent.chunks (id, organization_id, agent_id, source_id, position, ${sql.raw(CONTENT)}, last_seen_at)
          select md5(${id}::text || content_hash || copy)::uuid, ${organizationId}, ${agentId}, ${id}, position - 1, ${sql.raw(CONTENT)}, now()
            from (select *, row_number() over (order by ordinal, part) as position,
                         row_number() over (partition by content_hash order by ordinal, part) as copy
                    from agent.staged_chunks where source_id = ${id} and run = ${run}) s
           where position > ${from} and position <= ${from + BATCH} returning position`,
    );
    if (written.length < BATCH) break;
  }
  await query(
    em,
    sql`update agent.source_pages set etag = fetched ->> 'etag', last_modified = fetched ->> 'lastModified',
               content_hash = fetched ->> 'contentHash', title = fetched ->> 'title', fetched = null
         where source_id = ${id} and run = ${run} and fetched is not null`,
  );
  await query(em, sql`delete from agent.source_pages where source_id = ${id} and run < ${run}`);
  await query(em, sql`delete from agent.staged_chunks where source_id = ${id}`);
  // Last, because the row of the source is what other transactions wait for.
  const ended = await query(
    em,
    sql`update agent.sources set status = 'ready', error = null, index_version = nextval('agent.index_versions'), last_indexed_at = now(),
               (chunk_count, suspicious_count) = (select count(*), count(*) filter (where suspicious) from agent.chunks where source_id = ${id}),
               sequence = sequence + 1, updated_at = now()
         where id = ${id} and run = ${run} and status = 'embedding' returning id`,
  );
  if (ended.length === 0) throw new RunOver();
  await scheduleRefresh(scope, id);
  await appendChange(em, id);
  await startNext(scope, perOrganization);
}

/** Throws `IngestionFailure` if nothing can be indexed. */
function requireContent(chunks: number, reason: string): void {
  if (chunks === 0) throw new IngestionFailure(reason);
}
