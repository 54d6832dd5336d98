import type { Scope } from '../../../platform/scope/index.ts';

/** A passage that shares words with the question. */
export interface WordHit {
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
const COUNT = `
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
    { name: 'retrieval words', text: COUNT, values: [agentId, question] },
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
