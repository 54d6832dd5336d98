import { Arg, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { reader } from '../../../platform/reading/index.ts';
import { ContentFault } from '../../../platform/reading/task.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { findAgent } from '../agents/service.ts';
import {
  AgentFigures,
  type CitedSource,
  DayRange,
  type Days,
  daysOf,
  MAX_EXAMPLES,
  MAX_SOURCES,
  MAX_TOPICS,
  MAX_VERSIONS,
  QuestionTopics,
  type ReplyFigures,
} from './entity.ts';
import type { tasks } from './topic-tasks.ts';

@Resolver(() => AgentFigures)
export class AgentFiguresResolver {
  @Authorized('member')
  @Query(() => AgentFigures, {
    nullable: true,
    description:
      'The experience of visitors with an agent, by day and by version. `conversations(replies: …)` lists the conversations.',
  })
  agentFigures(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('days', () => DayRange, { nullable: true, description: 'Default: the last 30 days.' }) days?: DayRange | null,
  ) {
    return readFigures(scope, agentId, daysOf(days ?? {}));
  }

  @FieldResolver(() => QuestionTopics, {
    description: 'Found by comparing the vectors of the questions, without a model. Costs no credits.',
  })
  topics(@Ctx() scope: RequestScope, @Root() figures: AgentFigures) {
    return topicsOf(scope.within(figures.organizationId), figures.agentId, figures);
  }
}

/**
 * The experience of visitors: sums by day and version, which the triggers of the tables keep. A read costs the same however many replies
 * there are.
 */

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
async function readFigures(scope: Scope, agentId: string, { from, to }: Days): Promise<AgentFigures> {
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

/** Questions that are compared, and the characters that are shown of one. */
const [COMPARED, SHOWN] = [1_000, 200];

const run = reader<typeof tasks>('pages', new URL('./topic-tasks.ts', import.meta.url));

/** The newest replies, then those of them that have a vector of the newest model. */
const QUESTIONS = `
  with newest as materialized (
    select id, conversation_id, position, replaced, created_at, question_vector, embedding_model from agent.messages
     where agent_id = $2 and organization_id = $1
       and created_at >= $3::date::timestamp at time zone 'utc' and created_at < ($4::date + 1)::timestamp at time zone 'utc'
     order by created_at desc limit ${COMPARED}
  )
  select n.id as "messageId", n.conversation_id as "conversationId", n.question_vector as vector, left(q.text, ${SHOWN}) as question from newest n
   cross join lateral (
     select u.text from agent.messages u where u.conversation_id = n.conversation_id and u.role = 'user' and u.position < n.position
        and (n.replaced or not u.replaced) order by u.position desc limit 1) q
   where n.embedding_model = (select embedding_model from newest where embedding_model is not null order by created_at desc limit 1)
   order by n.created_at desc`;

interface Question {
  messageId: string;
  conversationId: string;
  question: string;
  vector: Buffer;
}

/** Compares the questions with each other, in a thread. */
async function topicsOf(scope: Scope, agentId: string, { from, to }: Days): Promise<QuestionTopics> {
  const { services, organizationId, signal } = scope;
  const statement = { name: 'figures questions', text: QUESTIONS, values: [organizationId, agentId, from, to] };
  const { rows } = await services.statements.run<Question>(statement, signal);
  if (rows.length < 2) return { compared: rows.length, topics: [] };
  const input = { vectors: rows.map(({ vector }) => vector), limit: MAX_TOPICS };
  const found = await run(organizationId, 'findTopics', input, { signal }).catch((error: unknown) => {
    throw error instanceof ContentFault ? fail('UNAVAILABLE', 'The server is busy. Read the topics again shortly.') : error;
  });
  const topics = found.map(({ center, members }) => ({
    label: rows[center]!.question,
    questions: members.length,
    examples: members.slice(0, MAX_EXAMPLES).map((member) => rows[member]!),
  }));
  return { compared: rows.length, topics };
}
