import { v7 as uuid } from 'uuid';
import { query, sql } from '../../common/database/database.ts';
import { readById } from '../../common/find.ts';
import { listPage, type PageRequest } from '../../common/lists/page.ts';
import { sizeOf } from '../../common/lists/row-counts.ts';
import type { RequestScope, Scope } from '../../common/scope.ts';
import { Contact } from './entity.ts';

interface Person {
  email: string | null;
  name?: string | null;
  phone?: string | null;
}

/**
 * Find the contact of an e-mail address, ignoring case, or create one. Fills in a missing name or phone. Concurrent calls return the same
 * contact. A person without an e-mail address gets a new contact.
 */
export async function resolveContact({ em, organizationId }: Scope, { email, name = null, phone = null }: Person): Promise<string> {
  const [contact] = await query(
    em,
    sql<{ id: string }>`
      insert into agent.contacts as c (id, organization_id, email, name, phone)
      values (${uuid()}, ${organizationId}, ${email?.toLowerCase() ?? null}, ${name}, ${phone})
      on conflict (organization_id, email) where email is not null do update
        set name = coalesce(c.name, excluded.name), phone = coalesce(c.phone, excluded.phone), updated_at = now()
      returning id`,
  );
  return contact!.id;
}

/** Lock a conversation whose contact may change, until the commit. */
export async function lockForContact({ em, organizationId }: Scope, id: string): Promise<void> {
  await query(
    em,
    sql`select 1 from agent.conversations where id = ${id} and organization_id = ${organizationId} for no key update`,
  );
}

/** Link a conversation to its contact. A contact without an e-mail address does not replace another one. */
export async function setContact({ em, organizationId }: Scope, conversationId: string, contactId: string): Promise<void> {
  await query(
    em,
    sql`update agent.conversations c set contact_id = ${contactId}
         where c.id = ${conversationId} and c.organization_id = ${organizationId} and c.contact_id is distinct from ${contactId}
           and (c.contact_id is null or exists (select 1 from agent.contacts where id = ${contactId} and email is not null))`,
  );
}

/** The contacts of the organization, newest first. */
export const listContacts = (scope: Scope, { email, ...page }: PageRequest & { email?: string | null }) =>
  listPage(
    scope,
    Contact,
    { where: email ? { email: email.toLowerCase() } : {}, orderBy: { createdAt: 'desc', id: 'desc' } },
    page,
    // Few contacts have one address, so they are counted.
    email ? undefined : sizeOf('contacts'),
  );

/** Throws `NOT_FOUND`. */
export const findContact = (scope: Scope, id: string): Promise<Contact> => readById(scope, Contact, id, 'Contact');

export const contactOf = (scope: RequestScope, id: string | null) => (id === null ? null : scope.load(Contact, id));
