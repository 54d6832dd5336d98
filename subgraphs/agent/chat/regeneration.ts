import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { withdrawApprovals } from '../approvals/requests.ts';

export interface UserMessage {
  text: string;
  /** The id that the client gave the message. */
  clientId: string | null;
}

/**
 * Mark everything after the message that is answered again as replaced, but for what a person wrote. Returns false when there is no such
 * message.
 */
export async function replaceReplies(scope: Scope, conversationId: string, message: UserMessage): Promise<boolean> {
  const question = await findQuestion(scope, conversationId, message);
  if (!question) return false;
  const { position } = question;
  await query(
    scope.em,
    sql`with replaced as (
          update agent.messages set replaced = true
           where conversation_id = ${conversationId} and position > ${position} and role <> 'operator' and not replaced)
        update agent.conversations set summary = null, summarized_to = 0 where id = ${conversationId} and summarized_to >= ${position}`,
  );
  await withdrawApprovals(scope, conversationId, ['visitor', 'operator']);
  return true;
}

/**
 * The user message of this id or, failing that, the last one if it has this text. Clients may regenerate earlier replies, and replies to
 * messages that were never stored.
 */
export async function findQuestion(
  { em }: Scope,
  conversationId: string,
  { clientId, text }: UserMessage,
): Promise<{ id: string; position: number } | undefined> {
  const [question] = await query(
    em,
    sql<{ id: string; position: number }>`
      with asked as (select * from agent.messages where conversation_id = ${conversationId} and role = 'user' and not replaced)
      select id, position from asked
       where ${clientId}::text in (client_id, id::text) or (text = ${text} and position = (select max(position) from asked))
       order by coalesce(${clientId}::text in (client_id, id::text), false) desc, position desc limit 1`,
  );
  return question;
}
