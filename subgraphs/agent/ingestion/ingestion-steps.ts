import { addCharge, canPay } from '../../../platform/credits/index.ts';
import { afterCommit, query, sql } from '../../../platform/database/index.ts';
import { readFile } from '../../../platform/files/index.ts';
import { Deadline, FairQueue } from '../../../platform/queues/index.ts';
import { type DocumentText, documentFault, documentKind, readDocument } from '../../../platform/reading/index.ts';
import { ContentFault, type FaultReason } from '../../../platform/reading/task.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import { creditsSpent } from '../../../platform/telemetry/index.ts';
import { embeddingPrice, indexingCharge } from '../retrieval/retrieve.ts';
import { vectorColumnOf } from '../retrieval/vectors.ts';
import { chunkLines, fullText, linesOfQuestions, linesOfText } from '../sources/chunker.ts';
import type { QuestionAndAnswer } from '../sources/entity.ts';
import { appendChange } from '../sources/service.ts';
import { dropEarlier, dropRepeated, stageChunks } from './publish.ts';
import {
  IngestionFailure,
  type IngestionScope,
  moveSource,
  type NextStep,
  OUT_OF_CREDITS,
  RunOver,
  readState,
  type SourceState,
  stepOf,
  writeChunks,
} from './source-state.ts';

/** Texts of one request to the provider; well below its limits of 2,048 texts and 300,000 tokens. */
const BATCH = 64;
/** Milliseconds until a file tries again to get its turn. */
const BUSY = 5_000;

/** Splits a text, or questions and answers, into passages. The pages of a site have theirs already, so drop the repeated ones. */
export async function chunkSource(scope: IngestionScope, sourceId: string): Promise<NextStep> {
  const state = await readState(scope, sourceId);
  if (state?.status !== 'chunking') return stepOf(state);
  const content = state.type === 'url' ? undefined : await contentOf(scope, state);
  if (content === null) return { step: 'chunkSource', waitMs: BUSY };
  const chunks = content && (await chunkContent(content));
  await writeChunks(scope, async (inner) => {
    const place = { pageId: null, ordinal: 0, url: null, title: null };
    if (chunks) await stageChunks(inner, state, place, chunks, scope.model.embedding);
    else await dropRepeated(inner, state);
    await dropEarlier(inner, state);
    if (content?.pages)
      await query(
        inner.em,
        sql`update agent.sources set page_count = ${content.pages} where id = ${sourceId} and run = ${state.run}`,
      );
    // Last, because it locks the source, which others edit.
    if (!(await moveSource(inner, state, 'embedding'))) throw new RunOver();
  });
  return stepOf(await readState(scope, sourceId));
}

interface Stored {
  text: string | null;
  qa: QuestionAndAnswer[] | null;
  file: { id: string; name: string } | null;
}

/** The content of a source that is no site. Null while its file must wait. */
async function contentOf(scope: IngestionScope, { id }: SourceState): Promise<DocumentText | null> {
  const [stored] = await query(
    scope.em,
    sql<Stored>`select text, qa, case when file_id is not null then json_build_object('id', file_id, 'name', file_name) end as file
       from agent.sources where id = ${id}`,
  );
  if (stored?.file) return readFileContent(scope, stored.file);
  return { title: '', pages: 0, content: stored?.qa ? linesOfQuestions(stored.qa) : (stored?.text ?? '') };
}

const chunkContent = ({ content, title }: DocumentText) =>
  chunkLines(typeof content === 'string' ? linesOfText(content) : content, title);

/** Whether the passage `s` was not indexed before. A vector of another model is replaced without a charge. */
const IS_NEW = sql<boolean>`not exists (select from agent.chunks c where c.source_id = s.source_id and c.content_hash = s.content_hash)`;

/** Embeds the next passages without a vector of the current model, and charges the new ones. */
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
      isNew: boolean;
    }>`select ordinal, part, context, text, ${IS_NEW} as "isNew" from agent.staged_chunks s
       where source_id = ${sourceId} and run = ${state.run} and embedding_model is distinct from ${model.embedding}
       order by ordinal, part limit ${BATCH}`,
  );
  if (rows.length === 0) return { step: 'publishChunks' };
  // Spare the provider requests that cannot be charged.
  if (!(await canPay(scope, embeddingPrice(rows.filter(({ isNew }) => isNew).length)))) throw new IngestionFailure(OUT_OF_CREDITS);
  const vectors = await model.embed(rows.map(fullText), signal);
  const column = await vectorColumnOf(services);
  await transaction(scope, async (inner) => {
    const { em } = inner;
    const stored = await query(
      em,
      sql<{
        isNew: boolean;
      }>`update agent.staged_chunks s set embedding = v.embedding::${sql.raw(column.type)}, embedding_model = ${model.embedding}
            from unnest(${rows.map(({ ordinal }) => ordinal)}::int[], ${rows.map(({ part }) => part)}::int[],
                        ${vectors.map(column.literal)}::text[]) as v (ordinal, part, embedding)
           where s.source_id = ${sourceId} and s.run = ${state.run} and s.ordinal = v.ordinal and s.part = v.part
             and s.embedding_model is distinct from ${model.embedding} returning ${IS_NEW} as "isNew"`,
    );
    const counted = await query(
      em,
      sql`update agent.sources set sequence = sequence + 1, embedded_count = (select count(*) from agent.staged_chunks
                 where source_id = ${sourceId} and run = ${state.run} and embedding_model = ${model.embedding})
           where id = ${sourceId} and run = ${state.run} and status = 'embedding' returning id`,
    );
    if (counted.length > 0) await appendChange(em, sourceId);
    await chargePassages(inner, state, stored.filter(({ isNew }) => isNew).length);
  });
  return { step: rows.length < BATCH ? 'publishChunks' : 'embedChunks' };
}

/** In the transaction that stores the vectors. Last, because it locks the organization. Throws `IngestionFailure` without credits. */
async function chargePassages(scope: Scope, { id, run }: SourceState, passages: number): Promise<void> {
  if (passages === 0) return;
  if (!(await addCharge(scope, indexingCharge(id, run, passages)))) throw new IngestionFailure(OUT_OF_CREDITS);
  afterCommit(() => creditsSpent.inc({ kind: 'indexing' }, embeddingPrice(passages)));
}

interface StoredFile {
  id: string;
  name: string;
}

/** Megabytes of a thread that reads a file; Word documents and PDFs unpack to more than their size. */
const READING = 512;
/** At most two files at the same time, one per organization. */
const queue = new FairQueue(2);
/**
 * Milliseconds that a file waits for its turn: long behind other organizations, and briefly behind its own. A file that waits occupies a
 * slot of the worker.
 */
const [PATIENCE, OWN_PATIENCE] = [60_000, 2_000];

const sentences: Partial<Record<FaultReason, string>> = {
  time: 'the file takes too long to read',
  memory: 'the file takes too much memory to read',
};

/**
 * The text of the file of a source. Null while it is the turn of other files. Throws `IngestionFailure` with the reason if the file cannot
 * be read.
 */
async function readFileContent(scope: IngestionScope, file: StoredFile): Promise<DocumentText | null> {
  const { organizationId, signal } = scope;
  const wait = new Deadline(queue.has(organizationId) ? OWN_PATIENCE : PATIENCE, signal);
  const read = () => {
    wait.end();
    return readInThread(scope, file);
  };
  try {
    return await queue.run(organizationId, read, wait.signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (wait.hasPassed) return null;
    if (!(error instanceof ContentFault)) throw error;
    if (error.reason === 'busy') return null;
    throw new IngestionFailure(sentenceOf(sentences[error.reason] ?? error.message));
  } finally {
    wait.end();
  }
}

async function readInThread(scope: IngestionScope, { id, name }: StoredFile): Promise<DocumentText> {
  const { organizationId, signal } = scope;
  const content = new Uint8Array(Buffer.concat(await Array.fromAsync(readFile(scope, id))));
  const fault = documentFault(name, Buffer.from(content.buffer));
  if (fault) throw new ContentFault(fault);
  const order = { kind: documentKind(name)!, bytes: content.buffer };
  return readDocument(organizationId, 'readText', order, { megabytes: READING, signal, transfer: [content.buffer] });
}

const sentenceOf = (fault: string) => `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`;
