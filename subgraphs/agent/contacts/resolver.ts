import { Args, ArgsType, Ctx, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { args, field, Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { childPage, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Conversation, ConversationPage } from '../conversations/entity.ts';
import { Lead } from '../leads/entity.ts';
import { Ticket } from '../tickets/entity.ts';
import { Contact } from './entity.ts';
import * as contacts from './service.ts';

@ArgsType()
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
  contacts(@Ctx() scope: RequestScope, @Args(() => ContactsArguments) page: ContactsArguments) {
    return contacts.listContacts(scope, page);
  }

  @Query(() => Contact, { nullable: true, description: 'One contact by id.' })
  contact(@Ctx() scope: RequestScope, @Id() id: string) {
    return contacts.findContact(scope, id);
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
