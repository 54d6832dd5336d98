import { Args, Ctx, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { query, readById, sql } from '../../../platform/database/index.ts';
import { args, field, Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { childPage, listPage, PageOf, pageArguments, sizeOf } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Conversation, ConversationPage, ERASED_VISITOR, VERIFIED } from '../conversations/entity.ts';
import { Lead } from '../leads/entity.ts';
import { Ticket } from '../tickets/entity.ts';
import { Contact } from './entity.ts';

class RecordsArguments extends pageArguments(20) {}

class ContactsArguments extends args(RecordsArguments, {
  email: field(String, { maxLength: 320, nullable: true, description: 'The exact e-mail address, ignoring case.' }),
}) {}

@ObjectType({ description: 'One page of contacts.' })
class ContactPage extends PageOf(Contact, 'ContactPage') {}

@ObjectType({ description: 'One page of leads.' })
class LeadPage extends PageOf(Lead, 'LeadPage') {}

@ObjectType({ description: 'One page of tickets.' })
class TicketPage extends PageOf(Ticket, 'TicketPage') {}

const NEWEST = { orderBy: { createdAt: 'desc', id: 'desc' } } as const;
const OF_CONTACT = { of: 'contactId' } as const;

@Access('member')
@Resolver(() => Contact)
export class ContactResolver {
  @Query(() => ContactPage, { description: 'The contacts of the organization, newest first.' })
  contacts(@Ctx() scope: RequestScope, @Args(() => ContactsArguments) { email, ...page }: ContactsArguments) {
    return listPage(
      scope,
      Contact,
      { where: email ? { email: email.toLowerCase() } : {}, orderBy: { createdAt: 'desc', id: 'desc' } },
      page,
      // Few contacts have one address, so they are counted.
      email ? undefined : sizeOf('contacts'),
    );
  }

  @Query(() => Contact, { nullable: true, description: 'One contact by id.' })
  contact(@Ctx() scope: RequestScope, @Id() id: string) {
    return findContact(scope, id);
  }

  @FieldResolver(() => LeadPage, { description: 'Newest first.' })
  leads(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Contact, @Args(() => RecordsArguments) page: RecordsArguments) {
    return childPage(scope.within(organizationId), id, Lead, OF_CONTACT, NEWEST, page);
  }

  @FieldResolver(() => TicketPage, { description: 'Newest first.' })
  tickets(
    @Ctx() scope: RequestScope,
    @Root() { id, organizationId }: Contact,
    @Args(() => RecordsArguments) page: RecordsArguments,
  ) {
    return childPage(scope.within(organizationId), id, Ticket, OF_CONTACT, NEWEST, page);
  }

  @FieldResolver(() => ConversationPage, { description: 'Newest first.' })
  conversations(
    @Ctx() scope: RequestScope,
    @Root() { id, organizationId }: Contact,
    @Args(() => RecordsArguments) page: RecordsArguments,
  ) {
    return childPage(scope.within(organizationId), id, Conversation, OF_CONTACT, NEWEST, page);
  }
}

interface Person {
  email: string | null;
  name?: string | null;
  phone?: string | null;
}

/**
 * Find the contact of an e-mail address, ignoring case, or create one. Fills in a missing name or phone. Concurrent calls return the same
 * contact. A person without an e-mail address gets a new contact.
 */
async function resolveContact({ em, organizationId }: Scope, { email, name = null, phone = null }: Person): Promise<string> {
  const [contact] = await query(
    em,
    sql<{ id: string }>`
      insert into agent.contacts as c (id, organization_id, email, name, phone)
      values (${uuid()}, ${organizationId}, ${email?.toLowerCase() ?? null}, ${name}, ${phone})
      on conflict (organization_id, email) where email is not null and not verified do update
        set name = coalesce(c.name, excluded.name), phone = coalesce(c.phone, excluded.phone), updated_at = now()
      returning id`,
  );
  return contact!.id;
}

/** Lock the conversation of a new record until the commit. Throws `NOT_FOUND` if it was deleted, or its contact is being erased. */
export async function lockForRecord({ em, organizationId }: Scope, id: string): Promise<void> {
  const held = await query(
    em,
    sql`select 1 from agent.conversations
         where id = ${id} and organization_id = ${organizationId} and visitor_id <> ${ERASED_VISITOR} for no key update`,
  );
  if (held.length === 0) throw fail('NOT_FOUND', 'Conversation not found');
}

/**
 * The contact of a new record: that of the verified visitor of its conversation, or else that of the person that the record names; null
 * without an e-mail address if `isNamed`.
 */
export async function contactForRecord(scope: Scope, conversationId: string | null | undefined, person: Person, isNamed = false) {
  const [verified] = conversationId
    ? await query(
        scope.em,
        sql<{ id: string | null }>`select contact_id as id from agent.conversations
          where id = ${conversationId} and organization_id = ${scope.organizationId} and starts_with(visitor_id, ${VERIFIED})`,
      )
    : [];
  if (verified?.id) return verified.id;
  return isNamed && person.email === null ? null : resolveContact(scope, person);
}

/**
 * Link a locked conversation to its contact. A contact without an e-mail address does not replace another one. Throws `NOT_FOUND` while
 * the contact of the conversation is being erased.
 */
export async function setContact({ em, organizationId }: Scope, conversationId: string, contactId: string | null): Promise<void> {
  // A statement of its own, because the transaction may have waited for the start of the erasure.
  const erasing = await query(
    em,
    sql`select 1 from agent.conversations c join agent.erasures e on e.id = c.contact_id where c.id = ${conversationId}`,
  );
  if (erasing.length > 0) throw fail('NOT_FOUND', 'Conversation not found');
  if (contactId === null) return;
  await query(
    em,
    sql`update agent.conversations c set contact_id = ${contactId}
         where c.id = ${conversationId} and c.organization_id = ${organizationId} and c.contact_id is distinct from ${contactId}
           and (c.contact_id is null or exists (select 1 from agent.contacts where id = ${contactId} and email is not null))`,
  );
}

/** Throws `NOT_FOUND`. */
export const findContact = (scope: Scope, id: string): Promise<Contact> => readById(scope, Contact, id, 'Contact');

export const contactOf = (scope: RequestScope, id: string | null) => (id === null ? null : scope.load(Contact, id));
