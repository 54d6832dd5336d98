import { LockMode } from '@mikro-orm/postgresql';
import { query, sql } from '../../../platform/database/index.ts';
import { dropResponsesWith } from '../../../platform/idempotency/index.ts';
import { dropMailsOf } from '../../../platform/mail/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { dropDeliveriesOf } from '../../../platform/webhooks/index.ts';
import { setStatus, touch } from '../tickets/changes.ts';
import { Ticket } from '../tickets/entity.ts';
import { isAnonymous } from './conversations.ts';
import type { Erasing } from './entity.ts';

/** Records of one transaction, and submissions that one transaction searches. */
const [RECORDS, SEARCHED] = [100, 2_000];

/** The leads of the contact, and those of its conversations that name no other person. Their own contacts go with them. */
export async function removeLeads(scope: Scope, { id }: Erasing): Promise<number | null> {
  const { em } = scope;
  const removed = await query(
    em,
    sql<{ id: string; contactId: string }>`
      delete from agent.leads where id in (
        select id from (
          select id from agent.leads where contact_id = ${id}
          union select l.id from agent.conversations c join agent.leads l on l.conversation_id = c.id
                 where c.contact_id = ${id} and ${isAnonymous('l.contact_id')}) found
         order by id limit ${RECORDS})
      returning id, contact_id as "contactId"`,
  );
  const others = removed.flatMap(({ contactId }) => (contactId === id ? [] : [contactId]));
  if (others.length > 0)
    await query(
      em,
      sql`delete from agent.contacts n where n.id = any(${others}::uuid[]) and n.email is null
             and not exists (select from agent.leads where contact_id = n.id)
             and not exists (select from agent.tickets where contact_id = n.id)
             and not exists (select from agent.conversations where contact_id = n.id)
             and not exists (select from agent.erasures where id = n.id)`,
    );
  return dropped(scope, removed);
}

/** The submissions of the conversations. */
export async function removeSubmissions(scope: Scope, { id }: Erasing): Promise<number | null> {
  const removed = await query(
    scope.em,
    sql<{ id: string }>`
      delete from agent.form_submissions where id in (
        select s.id from agent.conversations c join agent.form_submissions s on s.conversation_id = c.id
         where c.contact_id = ${id} limit ${RECORDS}) returning id`,
  );
  return dropped(scope, removed);
}

/** Submissions of which a field is the e-mail address of the contact. Searches those from before the erasure once, in their order, a page at a time. */
export async function removeNamedSubmissions(scope: Scope, { id, email }: Erasing): Promise<number | null> {
  if (email === null) return null;
  const { em, organizationId } = scope;
  const searched = await query(
    em,
    sql<{ id: string; matches: boolean }>`
      with page as materialized (
        select s.id, s.created_at, s."values" from agent.form_submissions s join agent.erasures e on e.id = ${id}
         where s.organization_id = ${organizationId} and s.created_at <= e.created_at
           and (s.created_at, s.id) > (e.scanned_at, e.scanned_id)
         order by s.created_at, s.id limit ${SEARCHED}),
      last as (select created_at, id from page order by created_at desc, id desc limit 1),
      moved as (update agent.erasures e set scanned_at = last.created_at, scanned_id = last.id from last where e.id = ${id})
      select id, ${hasValue(email)} as matches from page`,
  );
  if (searched.length === 0) return null;
  const found = searched.filter(({ matches }) => matches);
  await query(em, sql`delete from agent.form_submissions where id = any(${found.map((each) => each.id)}::uuid[])`);
  return (await dropped(scope, found)) ?? 0;
}

/** Whether a field of the submission, as column `values`, has the text. Ignores case. */
export const hasValue = (text: string) =>
  sql`exists (select from jsonb_each_text("values") field where lower(trim(field.value)) = ${text.toLowerCase()})`;

async function dropped(scope: Scope, records: readonly { id: string }[]): Promise<number | null> {
  if (records.length === 0) return null;
  await dropDeliveriesOf(
    scope,
    records.map(({ id }) => id),
  );
  return records.length;
}

/** Delete what repeats the records, and the contact itself. */
export async function finish(scope: Scope, { id }: Erasing): Promise<void> {
  const { em } = scope;
  // Answers are repeated for a day, and contain the contact or the ticket.
  const recent = await query(
    em,
    sql<{
      id: string;
    }>`select id from agent.tickets where contact_id = ${id} and last_activity_at > now() - interval '2 days' limit 1000`,
  );
  await dropResponsesWith(scope, [id, ...recent.map((ticket) => ticket.id)]);
  await query(em, sql`delete from agent.contacts where id = ${id}`);
  await query(em, sql`update agent.erasures set email = null, completed_at = now() where id = ${id}`);
}

/** Messages of one transaction. */
const MESSAGES = 1_000;
/** The subject of a ticket whose content was erased. Clients require a text. */
const SUBJECT = 'Erased';

/** Erase the content of the next ticket of the contact or its conversations. Its number, status and times stay; an open one is cancelled. */
export async function eraseNextTicket(scope: Scope, { id }: Erasing): Promise<number | null> {
  const { em } = scope;
  const [next] = await query(
    em,
    sql<{ id: string }>`
      select id from agent.tickets where contact_id = ${id} and erased_at is null
      union all select t.id from agent.conversations c join agent.tickets t on t.conversation_id = c.id
                 where c.contact_id = ${id} and t.erased_at is null and ${isAnonymous('t.contact_id')}
      limit 1`,
  );
  if (!next) return null;
  const ticket = await em.findOneOrFail(Ticket, next.id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  await dropDeliveriesOf(scope, [ticket.id]);
  await dropMailsOf(scope, [ticket.id]);
  await touch(scope, ticket);
  Object.assign(ticket, {
    subject: SUBJECT,
    description: '',
    category: null,
    tags: [],
    requesterName: null,
    requesterEmail: null,
    conversationId: null,
    conversationSummary: null,
    // Answers to earlier requests are found by it. It becomes null with the end of the contact.
    contactId: id,
    erasedAt: ticket.lastActivityAt,
  } satisfies Partial<Ticket>);
  await em.flush();
  const isOpen = !['closed', 'cancelled'].includes(ticket.status);
  await setStatus(scope, ticket, isOpen ? 'cancelled' : ticket.status);
  await em.flush();
  return 1;
}

/** The messages of erased tickets, also those in tickets that they were merged into. */
export async function removeTicketMessages({ em }: Scope, { id }: Erasing): Promise<number | null> {
  const removed = await query(
    em,
    sql`delete from agent.ticket_messages where id in (
          select x.id from agent.tickets t join agent.ticket_messages x on x.ticket_id = t.id where t.contact_id = ${id}
          union select x.id from agent.tickets t join agent.ticket_messages x on x.merged_from_id = t.id where t.contact_id = ${id}
          limit ${MESSAGES}) returning 1`,
  );
  return removed.length || null;
}

/** Tickets of other people in the conversations lose what they contain of the conversation. */
export async function unlinkOtherTickets({ em }: Scope, { id }: Erasing): Promise<number | null> {
  const unlinked = await query(
    em,
    sql`update agent.tickets set conversation_id = null, conversation_summary = null where id in (
          select t.id from agent.conversations c join agent.tickets t on t.conversation_id = c.id
           where c.contact_id = ${id} order by t.id limit 100 for update of t) returning 1`,
  );
  return unlinked.length || null;
}
