import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Contact } from '../contacts/entity.ts';
import { contactOf } from '../contacts/service.ts';
import { RecentList } from '../recent-arguments.ts';
import { agentNameOf } from '../recent-list.ts';
import { TagsArguments } from '../teamwork/tags.ts';
import * as changes from './changes.ts';
import {
  NewTicket,
  Ticket,
  TicketFromConversation,
  TicketMessageArguments,
  TicketMessagePage,
  TicketMessagesArguments,
  TicketsArguments,
} from './entity.ts';
import * as tickets from './service.ts';

@Access('member')
@Resolver(() => Ticket)
export class TicketResolver {
  @RecentList()
  @Query(() => [Ticket], { description: 'The tickets of the organization, newest first.' })
  tickets(@Ctx() scope: RequestScope, @Args(() => TicketsArguments) request: TicketsArguments) {
    return tickets.listTickets(scope, request);
  }

  @Query(() => Ticket, { nullable: true, description: 'One ticket by id.' })
  ticket(@Ctx() scope: RequestScope, @Id() id: string) {
    return tickets.findTicket(scope, id);
  }

  @Idempotent()
  @Mutation(() => Ticket, { description: 'Create a ticket and emit `ticket.created`. Requires the Helpdesk module.' })
  createTicket(@Ctx() scope: RequestScope, @Arg('input', () => NewTicket) input: NewTicket) {
    return tickets.createTicket(scope, input);
  }

  @Idempotent()
  @Mutation(() => Ticket, {
    description: 'Create a ticket about a conversation, whose contact is the requester. Requires the Helpdesk module.',
  })
  createTicketFromConversation(@Ctx() scope: RequestScope, @Args(() => TicketFromConversation) input: TicketFromConversation) {
    return tickets.createFromConversation(scope, input);
  }

  @Mutation(() => Ticket, { description: 'Assign a ticket to a member and emit `ticket.assigned`. A new ticket becomes `on_you`.' })
  assignTicket(@Ctx() scope: RequestScope, @Id() id: string, @Id('userId') userId: string) {
    return changes.assignTicket(scope, id, userId);
  }

  @Mutation(() => Ticket, {
    description: 'Set the status of an open ticket to `on_hold`, `closed` or `cancelled`, and emit `ticket.status_changed`.',
  })
  setTicketStatus(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('status', () => enumTypes.TicketStatus) status: EnumValue<'TicketStatus'>,
  ) {
    return changes.changeStatus(scope, id, status);
  }

  @Idempotent()
  @Mutation(() => Ticket, { description: 'Reply to the requester and emit `ticket.replied`. The ticket becomes `on_customer`.' })
  replyToTicket(@Ctx() scope: RequestScope, @Args(() => TicketMessageArguments) { id, text }: TicketMessageArguments) {
    return changes.replyToTicket(scope, id, text);
  }

  @Idempotent()
  @Mutation(() => Ticket, {
    description: 'Record a reply of the requester, for example by e-mail. The ticket becomes `on_you`, also when it was closed.',
  })
  addRequesterReply(@Ctx() scope: RequestScope, @Args(() => TicketMessageArguments) { id, text }: TicketMessageArguments) {
    return changes.addRequesterReply(scope, id, text);
  }

  @Idempotent()
  @Mutation(() => Ticket, { description: 'Add a note that only the team sees.' })
  addTicketNote(@Ctx() scope: RequestScope, @Args(() => TicketMessageArguments) { id, text }: TicketMessageArguments) {
    return changes.addTicketNote(scope, id, text);
  }

  @Mutation(() => Ticket, { description: 'Replace the tags of a ticket. The requester does not see them.' })
  setTicketTags(@Ctx() scope: RequestScope, @Args(() => TagsArguments) { id, tags }: TagsArguments) {
    return changes.setTicketTags(scope, id, tags);
  }

  @Mutation(() => Ticket, {
    description:
      'Merge a duplicate into a ticket. Its messages move, and an open duplicate becomes `cancelled`. Fails for different requesters when a chat visitor reads one of the tickets.',
  })
  mergeTicket(@Ctx() scope: RequestScope, @Id() id: string, @Id('duplicateId') duplicateId: string) {
    return changes.mergeTicket(scope, id, duplicateId);
  }

  @FieldResolver(() => String)
  agentName(@Ctx() scope: RequestScope, @Root() record: Ticket) {
    return agentNameOf(scope, record);
  }

  @FieldResolver(() => Contact, { nullable: true })
  contact(@Ctx() scope: RequestScope, @Root() { contactId }: Ticket) {
    return contactOf(scope, contactId);
  }

  @FieldResolver(() => TicketMessagePage, { description: 'Replies and notes, oldest first.' })
  messages(@Ctx() scope: RequestScope, @Root() { id }: Ticket, @Args(() => TicketMessagesArguments) page: TicketMessagesArguments) {
    return tickets.listMessages(scope, id, page);
  }
}
