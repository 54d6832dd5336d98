import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Chunk } from '../sources/chunker.ts';
import type { SourceState } from './state.ts';

/** Where staged chunks belong: a page, or the whole source. */
export interface Place {
  pageId: string | null;
  ordinal: number;
  url: string | null;
  title: string | null;
}

const CONTENT = 'page_id, url, title, headings, context, text, tokens, content_hash, embedding_model, embedding';

/**
 * Replaces the staged chunks of one place, in the transaction of the scope. Chunks that are already indexed, or that a failed run has
 * embedded, bring their vectors.
 */
export async function stageChunks(
  { em }: Scope,
  { id, run }: SourceState,
  { pageId, ordinal, url, title }: Place,
  chunks: readonly Chunk[],
  embeddingModel: string,
): Promise<void> {
  await query(em, sql`delete from agent.staged_chunks where source_id = ${id} and run = ${run} and ordinal = ${ordinal}`);
  await query(
    em,
    sql`insert into agent.staged_chunks (source_id, run, ordinal, part, ${sql.raw(CONTENT)})
        select ${id}::uuid, ${run}::int, ${ordinal}::int, c.part, ${pageId}::uuid, ${url}::text, ${title}::text,
               array(select json_array_elements_text(c.headings)), c.context, c.text, c.tokens, c."contentHash", known.embedding_model, known.embedding
          from json_to_recordset(${JSON.stringify(chunks.map((chunk, part) => ({ ...chunk, part })))}::json)
               as c (part int, headings json, context text, text text, tokens int, "contentHash" text)
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
