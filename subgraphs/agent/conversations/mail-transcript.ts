import { v7 as uuid } from 'uuid';
import { canonicalId, isId, query, sql } from '../../../platform/database/index.ts';
import { enqueueMail, mailsOf } from '../../../platform/mail/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { OutgoingMail } from '../mails/entity.ts';
import { wordsFor } from '../mails/words.ts';
import { teamName } from '../visitor-text.ts';

/** Messages and characters of a transcript: the newest ones. */
const [MAX_MESSAGES, MAX_CHARACTERS] = [500, 200_000];

/**
 * Mail the messages of a conversation to its contact. Throws `UNPROCESSABLE` without a contact with an address, and `UNAVAILABLE` without an
 * SMTP server.
 */
export async function mailTranscript(scope: RequestScope, conversationId: string): Promise<OutgoingMail> {
  if (!isId(conversationId)) throw fail('NOT_FOUND', 'Conversation not found');
  const id = canonicalId(conversationId);
  const sourceId = uuid();
  return transaction(scope, async (inner) => {
    const [people] = await query(
      inner.em,
      sql<{ email: string | null; agent: string }>`
        select n.email, a.name as agent from agent.conversations c join agent.agents a on a.id = c.agent_id
          left join agent.contacts n on n.id = c.contact_id
         where c.id = ${id} and c.organization_id = ${inner.organizationId} for share of c`,
    );
    if (!people) throw fail('NOT_FOUND', 'Conversation not found');
    if (!people.email) throw fail('UNPROCESSABLE', 'The conversation has no contact with an e-mail address.');
    if (!scope.services.mail) throw fail('UNAVAILABLE', 'No mail is set up.');
    await enqueueMail(inner, {
      kind: 'transcript',
      recordId: id,
      sourceId,
      recipient: people.email,
      userId: scope.caller.userId,
      ...(await transcriptOf(inner, id, people.agent)),
    });
    return (await mailsOf(inner, [sourceId])).get(sourceId)!;
  });
}

/** In the language of the conversation. */
async function transcriptOf({ em, organizationId }: Scope, id: string, agent: string): Promise<{ subject: string; text: string }> {
  const messages = await query(
    em,
    sql<{ role: string; authorName: string | null; text: string; at: string }>`
      select role, author_name as "authorName", text, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as at from (
        select *, sum(length(text)) over (order by position desc) as characters from (
          select position, role, author_name, text, created_at from agent.messages
           where conversation_id = ${id} and organization_id = ${organizationId} and text <> '' and not replaced
             and role in ('user', 'assistant', 'operator') order by position desc limit ${MAX_MESSAGES}) m) n
       where characters <= ${MAX_CHARACTERS} order by position`,
  );
  const words = wordsFor(...messages.map(({ text }) => text));
  const nameOf = ({ role, authorName }: (typeof messages)[number]) =>
    role === 'user' ? words.you : role === 'operator' ? teamName(authorName ?? '') : agent;
  const text = messages.map((message) => `${nameOf(message)} (${message.at} UTC):\n${message.text}`).join('\n\n');
  return { subject: words.conversationWith(agent), text };
}
