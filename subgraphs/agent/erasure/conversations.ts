import type { RawBuilder } from 'kysely';
import { query, sql } from '../../../platform/database/index.ts';
import { dropMailsOf } from '../../../platform/mail/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { refundRunning } from '../chat/finish.ts';
import { ERASED_VISITOR } from '../conversations/entity.ts';
import { Handoff } from '../handoff/entity.ts';
import { end, isOpen, lockConversation } from '../handoff/handoff-state.ts';
import type { Erasing } from './entity.ts';

/** Rows of one transaction. */
const [CONVERSATIONS, ROWS] = [100, 1_000];

/** Whether a contact of the column has no e-mail address, so that only its conversation identifies it. */
export const isAnonymous = (contactId: string): RawBuilder<unknown> =>
  sql`not exists (select from agent.contacts n where n.id = ${sql.ref(contactId)} and n.email is not null)`;

/**
 * The ids of all conversations of a contact: those that name it, those in which it left a lead or a ticket, and those of the same
 * visitors that name no other person.
 */
export const conversationsOf = (contactId: string, organizationId: string): RawBuilder<unknown> => sql`(
  with own as (
    select id from agent.conversations where contact_id = ${contactId}
    union select conversation_id from agent.leads where contact_id = ${contactId}
    union select conversation_id from agent.tickets where contact_id = ${contactId})
  select c.id from own join agent.conversations c on c.id = own.id and c.organization_id = ${organizationId}
  union
  select s.id from own join agent.conversations c on c.id = own.id and c.organization_id = ${organizationId}
    join agent.conversations s on s.agent_id = c.agent_id and s.visitor_id = c.visitor_id and s.channel = 'widget'
   where c.channel = 'widget' and c.visitor_id <> ${ERASED_VISITOR} and ${isAnonymous('s.contact_id')})`;

/** Link the conversations to the contact, which marks them. Those of another erasure stay with it. */
export async function claimConversations({ em, organizationId }: Scope, { id }: Erasing): Promise<number | null> {
  const claimed = await query(
    em,
    sql`update agent.conversations set contact_id = ${id} where id in (
          select c.id from agent.conversations c
           where c.id in ${conversationsOf(id, organizationId)} and c.contact_id is distinct from ${id}
             and not exists (select from agent.erasures e where e.id = c.contact_id)
           order by c.id limit ${CONVERSATIONS} for update) returning 1`,
  );
  return claimed.length || null;
}

/**
 * End the conversations: the visitor, the operators and the replies that are being written can no longer write to them. Their transcripts in
 * mails go at once.
 */
export async function detachConversations(scope: Scope, { id }: Erasing): Promise<number | null> {
  const { em } = scope;
  const held = await query(
    em,
    sql<{ id: string; handoffId: string | null; handoffStatus: string | null }>`
      select id, handoff_id as "handoffId", handoff_status as "handoffStatus" from agent.conversations
       where contact_id = ${id} and visitor_id <> ${ERASED_VISITOR} order by id limit ${CONVERSATIONS} for update`,
  );
  if (held.length === 0) return null;
  const ids = held.map((each) => each.id);
  for (const each of held) {
    if (!isOpen(each.handoffStatus)) continue;
    const conversation = await lockConversation(scope, each.id);
    await end(scope, conversation, await em.findOneOrFail(Handoff, each.handoffId!), 'closed', null);
  }
  await dropMailsOf(scope, ids);
  await refundRunning(scope, sql`c.id = any(${ids}::uuid[])`);
  await query(em, sql`delete from agent.messages where conversation_id = any(${ids}::uuid[]) and status = 'running'`);
  await query(em, sql`delete from agent.page_contexts where conversation_id = any(${ids}::uuid[])`);
  await query(
    em,
    sql`update agent.conversations
           set visitor_id = ${ERASED_VISITOR}, client_id = null, summary = null, status = 'closed', handoff_version = handoff_version + 1
         where id = any(${ids}::uuid[])`,
  );
  return ids.length;
}

export async function removeToolCalls({ em }: Scope, { id }: Erasing): Promise<number | null> {
  const removed = await query(
    em,
    sql`delete from agent.tool_calls where id in (
          select t.id from agent.conversations c join agent.tool_calls t on t.conversation_id = c.id
           where c.contact_id = ${id} limit ${ROWS}) returning 1`,
  );
  return removed.length || null;
}

/**
 * Test cases that were made from replies of the conversations, and their copies in runs, also of cases and conversations that were deleted.
 * Their names were replaced, but not all that they tell.
 */
export async function removeTestCases({ em, organizationId }: Scope, { id }: Erasing): Promise<number | null> {
  const found = await query(
    em,
    sql<{ id: string; testSetId: string }>`
      select t.id, t.test_set_id as "testSetId" from agent.test_cases t
       where t.organization_id = ${organizationId} and t.id in ${madeFrom('agent.test_cases', id)} order by t.id limit ${CONVERSATIONS}`,
  );
  const [cases, sets] = [found.map((each) => each.id), [...new Set(found.map((each) => each.testSetId))].sort()];
  if (cases.length > 0) {
    // The set before its cases, as in all changes of them.
    await query(em, sql`select 1 from agent.test_sets where id = any(${sets}::uuid[]) order by id for update`);
    await query(em, sql`update agent.test_sets set revision = revision + 1, updated_at = now() where id = any(${sets}::uuid[])`);
    await query(em, sql`delete from agent.test_cases where id = any(${cases}::uuid[])`);
    return cases.length;
  }
  const copies = await query(
    em,
    sql`delete from agent.test_run_cases where id in (
          select t.id from agent.test_run_cases t
           where t.organization_id = ${organizationId} and t.id in ${madeFrom('agent.test_run_cases', id)} order by t.id limit ${CONVERSATIONS})
        returning 1`,
  );
  return copies.length || null;
}

/** The ids of the test cases of a table that were made from conversations of a contact. */
const madeFrom = (table: string, contactId: string): RawBuilder<unknown> => sql`(
  select id from ${sql.table(table)} where contact_id = ${contactId}
  union select n.id from agent.conversations c join agent.messages m on m.conversation_id = c.id join ${sql.table(table)} n on n.message_id = m.id
   where c.contact_id = ${contactId})`;

/** Messages with the parts of their replies. */
export async function removeMessages({ em }: Scope, { id }: Erasing): Promise<number | null> {
  const removed = await query(
    em,
    sql`delete from agent.messages where id in (
          select m.id from agent.conversations c join agent.messages m on m.conversation_id = c.id
           where c.contact_id = ${id} limit ${ROWS}) returning 1`,
  );
  return removed.length || null;
}

/** Conversations without messages, with their handoffs. */
export async function removeConversations({ em }: Scope, { id }: Erasing): Promise<number | null> {
  const events = await query(
    em,
    sql`delete from agent.handoff_events where (conversation_id, sequence) in (
          select e.conversation_id, e.sequence from agent.conversations c join agent.handoff_events e on e.conversation_id = c.id
           where c.contact_id = ${id} limit ${ROWS}) returning 1`,
  );
  if (events.length > 0) return 0;
  const removed = await query(
    em,
    sql`delete from agent.conversations where id in (
          select id from agent.conversations where contact_id = ${id} order by id limit ${CONVERSATIONS} for update) returning 1`,
  );
  return removed.length || null;
}
