/**
 * The experience of visitors: sums by day and version, which the triggers of the tables keep. A read costs the same however many replies
 * there are.
 */

import type { Scope } from '../../../platform/scope/index.ts';
import { findAgent } from '../agents/service.ts';
import type { Days } from './day-range.ts';
import { type AgentFigures, type CitedSource, MAX_SOURCES, MAX_VERSIONS, type ReplyFigures } from './entity.ts';

type Sums = Omit<ReplyFigures, 'firstTokenMedianMs' | 'firstTokenHighMs' | 'endMedianMs' | 'endHighMs'>;
/** The day or the version of figures; both are null in those of all days. */
interface Group {
  day: string | null;
  version: number | null;
}

const IN_RANGE = 'organization_id = $1 and agent_id = $2 and day between $3::date and $4::date';

const SUMS = `
  select day::text, version, sum(questions)::int as questions, sum(answered)::int as answered,
         sum(unanswered)::int as unanswered, sum(failed)::int as failed, sum(handoffs)::int as handoffs,
         sum(rated_up)::int as "ratedUp", sum(rated_down)::int as "ratedDown", sum(credits)::float8 as credits,
         sum(input_tokens)::float8 as "inputTokens", sum(output_tokens)::float8 as "outputTokens"
    from agent.reply_figures where ${IN_RANGE} group by grouping sets ((day), (version), ()) order by day, version desc`;

/** The first time that so many replies do not exceed. */
const TIMES = `
  with counts as (
    select day, version, kind, key::int as ms, sum(count) as n from agent.reply_counts
     where ${IN_RANGE} and kind in ('first token', 'end') group by grouping sets ((day, kind, key), (version, kind, key), (kind, key))
  ), running as (
    select *, sum(n) over (partition by day, version, kind order by ms) as upto, sum(n) over (partition by day, version, kind) as total from counts
  )
  select day::text, version, kind, min(ms) filter (where upto >= total * 0.5) as median, min(ms) filter (where upto >= total * 0.95) as high
    from running where total > 0 group by day, version, kind`;

const CITED = `
  select c.key as "sourceId", s.name, c.replies from (
    select key, sum(count)::int as replies from agent.reply_counts where ${IN_RANGE} and kind = 'source'
     group by key having sum(count) > 0 order by replies desc, key limit ${MAX_SOURCES}) c
    left join agent.sources s on s.id = c.key::uuid and s.organization_id = $1 order by c.replies desc, c.key`;

/** Throws `NOT_FOUND`. */
export async function readFigures(scope: Scope, agentId: string, { from, to }: Days): Promise<AgentFigures> {
  const { organizationId } = scope;
  const { id } = await findAgent(scope, agentId);
  const read = <T extends object>(name: string, text: string) =>
    scope.services.statements.run<T>({ name: `figures ${name}`, text, values: [organizationId, id, from, to] }, scope.signal);
  const [sums, times, cited] = await Promise.all([
    read<Sums & Group>('sums', SUMS),
    read<Group & { kind: 'first token' | 'end'; median: number; high: number }>('times', TIMES),
    read<CitedSource>('sources', CITED),
  ]);
  const percentiles = new Map(times.rows.map((row) => [`${row.day} ${row.version} ${row.kind}`, row]));
  const all = sums.rows.map((row) => {
    const [first, end] = (['first token', 'end'] as const).map((kind) => percentiles.get(`${row.day} ${row.version} ${kind}`));
    return {
      ...row,
      firstTokenMedianMs: first?.median ?? null,
      firstTokenHighMs: first?.high ?? null,
      endMedianMs: end?.median ?? null,
      endHighMs: end?.high ?? null,
    };
  });
  const total = all.find(({ day, version }) => day === null && version === null) as Sums & ReplyFigures;
  return {
    ...{ agentId: id, organizationId, from, to },
    total: { ...total, ...(total.questions === null && NOTHING) },
    days: all.filter((row): row is typeof row & { day: string } => row.day !== null),
    versions: all.filter((row): row is typeof row & { version: number } => row.version !== null).slice(0, MAX_VERSIONS),
    sources: cited.rows,
  };
}

const NOTHING: Sums = {
  ...{ questions: 0, answered: 0, unanswered: 0, failed: 0, handoffs: 0, ratedUp: 0, ratedDown: 0 },
  ...{ credits: 0, inputTokens: 0, outputTokens: 0 },
};
