import { query, sql } from '../../common/database/database.ts';
import type { Line } from '../../common/outbound/lines.ts';
import { type Scope, transaction } from '../../common/scope.ts';
import { vectorColumnOf } from '../retrieval/vector-column.ts';
import { linesOfQuestions, linesOfText } from '../sources/blocks.ts';
import { appendChange } from '../sources/changes.ts';
import { chunkLines, fullText } from '../sources/chunker.ts';
import type { QuestionAndAnswer } from '../sources/entity.ts';
import { dropRepeated, stageChunks } from './staging.ts';
import { moveSource, RunOver, readState, type SourceState, stepOf, writeChunks } from './state.ts';
import { IngestionFailure, type IngestionScope, type NextStep } from './work.ts';

/** Texts of one request to the provider; well below its limits of 2,048 texts and 300,000 tokens. */
const BATCH = 64;

/** Splits a text, or questions and answers, into passages. The pages of a site have theirs already, so drop the repeated ones. */
export async function chunkSource(scope: IngestionScope, sourceId: string): Promise<NextStep> {
  const state = await readState(scope, sourceId);
  if (state?.status !== 'chunking') return stepOf(state);
  const chunks = state.type === 'url' ? undefined : await chunkLines(await contentOf(scope, state));
  await writeChunks(scope, async (inner) => {
    const place = { pageId: null, ordinal: 0, url: null, title: null };
    if (chunks) await stageChunks(inner, state, place, chunks, scope.model.embedding);
    else await dropRepeated(inner, state);
    // Last, because it locks the source, which others edit.
    if (!(await moveSource(inner, state, 'embedding'))) throw new RunOver();
  });
  return stepOf(await readState(scope, sourceId));
}

async function contentOf({ em }: Scope, { id }: SourceState): Promise<Line[]> {
  const [content] = await query(
    em,
    sql<{ text: string | null; qa: QuestionAndAnswer[] | null }>`select text, qa from agent.sources where id = ${id}`,
  );
  if (content?.qa) return linesOfQuestions(content.qa);
  return linesOfText(content?.text ?? '');
}

/** Embeds the next passages without a vector of the current model. */
export async function embedChunks(scope: IngestionScope, sourceId: string): Promise<NextStep> {
  const state = await readState(scope, sourceId);
  if (state?.status !== 'embedding') return stepOf(state);
  const { model, signal, services } = scope;
  const rows = await query(
    scope.em,
    sql<{
      ordinal: number;
      part: number;
      context: string;
      text: string;
    }>`select ordinal, part, context, text from agent.staged_chunks
       where source_id = ${sourceId} and run = ${state.run} and embedding_model is distinct from ${model.embedding}
       order by ordinal, part limit ${BATCH}`,
  );
  if (rows.length === 0) return { step: 'publishChunks' };
  const vectors = await model.embed(rows.map(fullText), signal);
  const column = await vectorColumnOf(services);
  await transaction(scope, async ({ em }) => {
    await query(
      em,
      sql`update agent.staged_chunks s set embedding = v.embedding::${sql.raw(column.type)}, embedding_model = ${model.embedding}
            from unnest(${rows.map(({ ordinal }) => ordinal)}::int[], ${rows.map(({ part }) => part)}::int[],
                        ${vectors.map(column.literal)}::text[]) as v (ordinal, part, embedding)
           where s.source_id = ${sourceId} and s.run = ${state.run} and s.ordinal = v.ordinal and s.part = v.part`,
    );
    const counted = await query(
      em,
      sql`update agent.sources set sequence = sequence + 1, embedded_count = (select count(*) from agent.staged_chunks
                 where source_id = ${sourceId} and run = ${state.run} and embedding_model = ${model.embedding})
           where id = ${sourceId} and run = ${state.run} and status = 'embedding' returning id`,
    );
    if (counted.length > 0) await appendChange(em, sourceId);
  });
  return { step: rows.length < BATCH ? 'publishChunks' : 'embedChunks' };
}

/** Throws `IngestionFailure` if nothing can be indexed. */
export function requireContent(chunks: number, reason: string): void {
  if (chunks === 0) throw new IngestionFailure(reason);
}
