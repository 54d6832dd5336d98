import type { Movement } from '../../../platform/credits/index.ts';
import { isId } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { truncate } from '../../../schema/text.ts';
import type { VectorHit } from './exact-scan.ts';
import { searchVectors } from './vectors.ts';

/** A part of a knowledge source that may answer a question. */
export interface Passage {
  id: string;
  sourceId: string;
  sourceName: string;
  type: EnumValue<'SourceType'>;
  /** The page of a source of type `url`. */
  url: string | null;
  title: string | null;
  /** The page of a PDF on which it begins. */
  page: number | null;
  /** The headings above the passage, outermost first. */
  headings: string[];
  text: string;
  /** Whether it reads like instructions to the agent. */
  suspicious: boolean;
  /** Fused rank; comparable within one question only. */
  score: number;
}

/** A passage with the reasons why it was found. */
interface RankedPassage extends Passage {
  tokens: number;
  /** Place among the passages that share words with the question, from 1; null if it shares none. */
  wordRank: number | null;
  words: string[];
  /** Place among the passages with the nearest vectors, from 1; null if others are nearer. */
  vectorRank: number | null;
  similarity: number | null;
}

/** The vector of a question, as signed bytes: its numbers are between -1 and 1. */
export interface QuestionVector {
  model: string;
  bytes: Buffer;
}

interface RetrievalOptions {
  /** Limit of the tokens of all passages. */
  maxTokens: number;
  signal?: AbortSignal;
  /** Called with the vector of the question, if there is one. */
  onVector?: OnVector;
}
type OnVector = (question: QuestionVector) => void;

/** Passages of a question, and of each half of its search. Full passages of this number exceed the highest `maxRetrievalTokens`. */
export const MAX_PASSAGES = 60;
/** Characters of a question that count. */
const MAX_QUESTION = 4_000;

/** The passages of an agent that answer a question best, best first, within the token limit. Words and vectors decide together. */
export async function retrieve(
  scope: Scope,
  agentId: string,
  question: string,
  { maxTokens, signal, onVector }: RetrievalOptions,
): Promise<Passage[]> {
  const ranked = await rankPassages({ ...boundTo(scope), signal: signal ?? scope.signal }, agentId, question, onVector);
  return withinTokens(ranked, maxTokens);
}

/** The longest prefix of the passages within a token limit; a passage that does not fit is skipped. */
export function withinTokens<P extends { tokens: number }>(passages: readonly P[], maxTokens: number): P[] {
  let left = maxTokens;
  return passages.filter(({ tokens }) => {
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

/** Searches that one question makes while refreshes of sources replace the passages that it finds. */
const MAX_SEARCHES = 3;

/** All passages that words or vectors find, best first, with the reasons. */
export async function rankPassages(scope: Scope, agentId: string, text: string, onVector?: OnVector): Promise<RankedPassage[]> {
  const question = truncate(text, MAX_QUESTION).trim();
  if (!isId(agentId) || !question) return [];
  for (let search = 1; ; search += 1) {
    const { passages, isWhole } = await searchOnce(scope, agentId, question, onVector);
    // Otherwise, a source was replaced during the search, and the rest would be a part of its index.
    if (isWhole || search === MAX_SEARCHES) return passages;
  }
}

async function searchOnce(scope: Scope, agentId: string, question: string, onVector?: OnVector) {
  const total = await countPassages(scope, agentId);
  if (total === 0) return { passages: [], isWhole: true };
  const [words, vectors] = await Promise.all([
    searchWords(scope, agentId, question, { limit: MAX_PASSAGES, total }),
    nearest(scope, { agentId, question, total, onVector }),
  ]);
  const found = fuse(words, vectors).slice(0, MAX_PASSAGES);
  const contents = await readPassages(
    scope,
    found.map(({ id }) => id),
  );
  const passages = found.flatMap((each): RankedPassage[] => {
    const content = contents.get(each.id);
    return content ? [{ ...content, ...each }] : [];
  });
  return { passages, isWhole: passages.length === found.length };
}

/** Without the provider, words alone decide: a worse answer is better than none. */
async function nearest(
  scope: Scope,
  { agentId, question, total, onVector }: { agentId: string; question: string; total: number; onVector?: OnVector },
): Promise<VectorHit[]> {
  const { model } = scope.services;
  if (!model) return [];
  try {
    const [vector] = await model.embed([question], scope.signal);
    onVector?.({
      model: model.embedding,
      bytes: Buffer.from(Int8Array.from(vector!, (number) => Math.round(number * 127)).buffer),
    });
    return await searchVectors(scope, { agentId, vector: vector!, model: model.embedding, limit: MAX_PASSAGES, total });
  } catch (error) {
    scope.signal?.throwIfAborted();
    log.warn({ err: error, agentId }, 'Failed to search by vectors; searching by words alone');
    return [];
  }
}

const COUNT = `
  select coalesce(sum(chunk_count), 0)::int as count from agent.sources where organization_id = $1 and agent_id = $2`;

async function countPassages({ services, organizationId, signal }: Scope, agentId: string): Promise<number> {
  const statement = { name: 'retrieval total', text: COUNT, values: [organizationId, agentId] };
  const { rows } = await services.statements.run<{ count: number }>(statement, signal);
  return rows[0]!.count;
}

type Content = Omit<Passage, 'score'> & { tokens: number };

const READ = `
  select c.id, c.source_id as "sourceId", s.name as "sourceName", s.type, c.url, c.title, c.page, c.headings, c.text, c.tokens, c.suspicious
    from agent.chunks c join agent.sources s on s.id = c.source_id where c.organization_id = $1 and c.id = any($2)`;

async function readPassages({ services, organizationId, signal }: Scope, ids: string[]): Promise<Map<string, Content>> {
  if (ids.length === 0) return new Map();
  const { rows } = await services.statements.run<Content>(
    { name: 'retrieval passages', text: READ, values: [organizationId, ids] },
    signal,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Reads the getters of a request scope, which a copy by spread would lose. */
const boundTo = ({ em, organizationId, services }: Scope): Scope => ({ em, organizationId, services });

/** The places of a passage in both lists. */
interface Fused {
  id: string;
  score: number;
  wordRank: number | null;
  words: string[];
  vectorRank: number | null;
  similarity: number | null;
}

/** Constant of reciprocal rank fusion: larger values give the first places less weight. */
const K = 60;

/** Merges two ranked lists by reciprocal rank: scores of different kinds cannot be added, but places can. */
export function fuse(words: readonly WordHit[], vectors: readonly VectorHit[]): Fused[] {
  const fused = new Map<string, Fused>();
  const entry = (id: string): Fused => {
    const known = fused.get(id) ?? { id, score: 0, wordRank: null, words: [], vectorRank: null, similarity: null };
    fused.set(id, known);
    return known;
  };
  for (const [at, hit] of words.entries()) {
    const each = entry(hit.id);
    Object.assign(each, { wordRank: at + 1, words: hit.words, score: each.score + 1 / (K + at + 1) });
  }
  for (const [at, { id, similarity }] of vectors.entries()) {
    const each = entry(id);
    Object.assign(each, { vectorRank: at + 1, similarity, score: each.score + 1 / (K + at + 1) });
  }
  return [...fused.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/** Credits of this number of embedded texts: new passages of a source, or questions of retrieval tests. */
export const embeddingPrice = (texts: number): number => texts / 1_000;

/** One entry of the ledger for each run. */
export const indexingCharge = (sourceId: string, run: number, passages: number): Movement => ({
  amount: -embeddingPrice(passages),
  reason: 'indexing',
  reference: `source:${sourceId}:${run}`,
});

/** One entry of the ledger for each UTC day. */
export const retrievalTestCharge = (now: Date): Movement => ({
  amount: -embeddingPrice(1),
  reason: 'retrieval test',
  reference: `retrieval-test:${now.toISOString().slice(0, 10)}`,
});

/** A passage that shares words with the question. */
interface WordHit {
  id: string;
  /** Sum of the weights of the shared words; rare words weigh more. */
  score: number;
  /** The shared words, as stored. */
  words: string[];
}

/** Passages whose scores are computed. Frequent words do not choose passages beyond it; they only add to scores. */
const CANDIDATES = 5_000;
const MAX_WORDS = 64;

const QUERY = `($$'$$ || replace(replace(l.word, '\\', '\\\\'), $$'$$, $$''$$) || $$'$$)::tsquery`;

/** Counts the passages of each word, up to the limit: the GIN index stores the words of each agent separately. */
const COUNT_WORDS = `
  select l.word, ${QUERY}::text as query,
         (select count(*) from (
            select from agent.chunks c where c.agent_id = $1 and c.search @@ ${QUERY} limit ${CANDIDATES + 1}) matches)::int as count
    from (select unnest(tsvector_to_array(to_tsvector('simple', $2) || to_tsvector('english', $2))) as word limit ${MAX_WORDS}) l`;

const RANK = `
  select c.id, sum(w.weight)::float8 as score, array_agg(w.word order by w.weight desc) as words
    from (select id, search from agent.chunks where organization_id = $1 and agent_id = $2 and search @@ $3::tsquery) c
    join unnest($4::text[], $5::tsquery[], $6::float8[]) as w (word, query, weight) on c.search @@ w.query
   group by c.id order by score desc, c.id limit $7`;

/** The passages of an agent that share most words with the question, best first. `total` is the number of its passages. */
export async function searchWords(
  { services: { statements }, organizationId, signal }: Scope,
  agentId: string,
  question: string,
  { limit, total }: { limit: number; total: number },
): Promise<WordHit[]> {
  const counted = await statements.run<{ word: string; query: string; count: number }>(
    { name: 'retrieval words', text: COUNT_WORDS, values: [agentId, question] },
    signal,
  );
  const words = counted.rows.filter(({ count }) => count > 0).sort((a, b) => a.count - b.count);
  let candidates = 0;
  const choosing = words.filter(({ count }, at) => {
    candidates += count;
    return at === 0 || candidates <= CANDIDATES;
  });
  if (choosing.length === 0) return [];
  const values = [
    organizationId,
    agentId,
    choosing.map(({ query }) => query).join(' | '),
    words.map(({ word }) => word),
    words.map(({ query }) => query),
    words.map(({ count }) => weightOf(count, total)),
    limit,
  ];
  const { rows } = await statements.run<WordHit>({ name: 'retrieval ranks', text: RANK, values }, signal);
  return rows;
}

/** Inverse document frequency. */
const weightOf = (count: number, total: number) => Math.log(1 + (Math.max(total, count) - count + 0.5) / (count + 0.5));
