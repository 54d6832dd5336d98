import { isId, query, readById, sql } from '../../../platform/database/index.ts';
import { detached, type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { fail } from '../../../schema/errors.ts';
import {
  claimConversations,
  detachConversations,
  removeConversations,
  removeMessages,
  removeTestCases,
  removeToolCalls,
} from './conversations.ts';
import { ContactErasure, type Erasing } from './entity.ts';
import {
  eraseNextTicket,
  finish,
  removeLeads,
  removeNamedSubmissions,
  removeSubmissions,
  removeTicketMessages,
  unlinkOtherTickets,
} from './records.ts';

type Count = 'conversations' | 'messages' | 'leads' | 'submissions' | 'tickets';

/** A bounded part of an erasure. Returns the number of erased rows, or null when nothing is left. */
type Step = (scope: Scope, erasing: Erasing) => Promise<number | null>;

/**
 * In this order, because later steps need the conversations that earlier ones have linked to the contact, and nobody writes to a
 * conversation that is detached.
 */
const STEPS: readonly [Step, Count?][] = [
  [claimConversations],
  [detachConversations, 'conversations'],
  [removeToolCalls],
  [removeTestCases],
  [removeMessages, 'messages'],
  [removeLeads, 'leads'],
  [removeSubmissions, 'submissions'],
  [removeNamedSubmissions, 'submissions'],
  [eraseNextTicket, 'tickets'],
  [removeTicketMessages],
  [unlinkOtherTickets],
  [removeConversations],
];

/** Milliseconds for which a sweep continues all erasures. */
const SWEEP = 10_000;

/**
 * Begin to erase a contact and everything that is kept of it. Its address is free at once, so that a new message makes a new contact. A
 * contact that is already being erased, or was, returns that erasure. Throws `NOT_FOUND`.
 */
export async function eraseContact(scope: RequestScope, id: string): Promise<ContactErasure> {
  if (!isId(id)) throw fail('NOT_FOUND', 'Contact not found');
  const erasure = await transaction(scope, (inner) => begin(inner, id.toLowerCase()));
  const { services, organizationId } = scope;
  if (!erasure.completedAt)
    services.background.start('Erasure', (shutdown) => continueErasure(services, erasure, organizationId, () => shutdown.aborted));
  return erasure;
}

async function begin(scope: Scope, id: string): Promise<ContactErasure> {
  const { em, organizationId } = scope;
  // A lead or ticket that is being written holds this lock, and is erased too.
  const [contact] = await query(
    em,
    sql<{
      email: string | null;
    }>`select email from agent.contacts where id = ${id} and organization_id = ${organizationId} for update`,
  );
  const known = await em.findOne(ContactErasure, id, { refresh: true });
  if (known) return known;
  if (!contact) throw fail('NOT_FOUND', 'Contact not found');
  const erasure = em.create(ContactErasure, { id, organizationId, email: contact.email });
  await em.flush();
  // A visitor who returns is a new contact.
  await query(em, sql`delete from agent.visitors where contact_id = ${id}`);
  await query(em, sql`update agent.contacts set email = null, name = null, phone = null, updated_at = now() where id = ${id}`);
  await query(em, sql`select identity.record_change(${organizationId}, 'contact', ${id}, 'erased', '{}')`);
  return erasure;
}

/** The erasure of a contact. Throws `NOT_FOUND`. */
export const findErasure = (scope: Scope, contactId: string): Promise<ContactErasure> =>
  readById(scope, ContactErasure, contactId, 'Erasure');

/** The running erasure of a contact. Batches a list into one query. */
export const erasureOf = (scope: RequestScope, contactId: string): Promise<ContactErasure | null> =>
  scope.load(ContactErasure, contactId);

/** Continue the erasures that a killed process left. Safe to run in several processes at a time. */
export async function sweepErasures(services: Services): Promise<void> {
  // A request may still run the newer ones. The random order gives each a turn, also behind one that fails.
  const { rows } = await services.pool.query<{ id: string; organizationId: string }>(`
    select id, organization_id as "organizationId" from agent.erasures
     where completed_at is null and created_at < now() - interval '15 seconds' order by random() limit 100`);
  const deadline = performance.now() + SWEEP;
  for (const erasure of rows) await continueErasure(services, erasure, erasure.organizationId, () => performance.now() > deadline);
  await services.pool.query(`delete from agent.erasures where completed_at < now() - interval '400 days'`);
}

/** Run the steps of an erasure, each in a short transaction, until it is complete, another process runs it, or it must stop. */
async function continueErasure(
  services: Services,
  { id }: Pick<ContactErasure, 'id'>,
  organizationId: string,
  mustStop: () => boolean,
): Promise<void> {
  const scope = detached({ services, organizationId });
  try {
    while (!mustStop() && (await transaction(scope, (inner) => advance(inner, id))));
  } catch (err) {
    log.warn({ err, contactId: id }, 'Failed to erase a contact; the next sweep continues');
  }
}

/** Run the first step that has something to do. Returns false when the erasure is complete, or another process runs it. */
async function advance(scope: Scope, id: string): Promise<boolean> {
  const [erasing] = await query(
    scope.em,
    sql<Erasing>`select id, email from agent.erasures where id = ${id} and completed_at is null for no key update skip locked`,
  );
  if (!erasing) return false;
  for (const [step, count] of STEPS) {
    const erased = await step(scope, erasing);
    if (erased === null) continue;
    if (count)
      await query(scope.em, sql`update agent.erasures set ${sql.ref(count)} = ${sql.ref(count)} + ${erased} where id = ${id}`);
    return true;
  }
  await finish(scope, erasing);
  return false;
}
