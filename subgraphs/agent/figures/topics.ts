import { reader } from '../../../platform/reading/index.ts';
import { ContentFault } from '../../../platform/reading/task.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Days } from './day-range.ts';
import { MAX_EXAMPLES, MAX_TOPICS, type QuestionTopics } from './entity.ts';
import type { tasks } from './topic-tasks.ts';

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
export async function topicsOf(scope: Scope, agentId: string, { from, to }: Days): Promise<QuestionTopics> {
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
