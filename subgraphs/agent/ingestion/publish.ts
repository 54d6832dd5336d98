import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { appendChange } from '../sources/changes.ts';
import { RunOver, readState, type SourceState, scheduleRefresh, stepOf, writeChunks } from './state.ts';
import { requireContent } from './steps.ts';
import { startNext } from './turns.ts';
import type { IngestionScope, NextStep } from './work.ts';

/** Rows per statement. The vector index takes milliseconds for each, and a statement may take 30 seconds. */
const BATCH = 200;
const CONTENT = 'page_id, url, title, headings, context, text, tokens, content_hash, embedding_model, embedding';

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
               chunk_count = (select count(*) from agent.chunks where source_id = ${id}), sequence = sequence + 1, updated_at = now()
         where id = ${id} and run = ${run} and status = 'embedding' returning id`,
  );
  if (ended.length === 0) throw new RunOver();
  await scheduleRefresh(scope, id);
  await appendChange(em, id);
  await startNext(scope, perOrganization);
}
