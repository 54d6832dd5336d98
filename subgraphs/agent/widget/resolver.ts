import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Bind, query, type Rows, readRows, sql } from '../../../platform/database/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, visiting } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Agent } from '../agents/entity.ts';
import { listReplyProducts, ReplyProducts, ReplyProductsArguments } from '../catalog/product-cards.ts';
import type { SignedIn } from '../chat/sender.ts';
import { countMessage, embeddedAgent, signedInVisitor } from '../chat/sender.ts';
import { ConversationVisitor, KnownVisitor, type VisitorArgument } from '../chat/types.ts';
import { VERIFIED } from '../conversations/entity.ts';
import { CustomForm } from '../forms/entity.ts';
import { modulesOf } from '../organizations/resolver.ts';
import { recordRequesterReply } from '../tickets/changes.ts';
import { Ticket, TicketMessage } from '../tickets/entity.ts';
import { teamName } from '../visitor-text.ts';
import type { Identity } from '../visitors/entity.ts';
import * as widget from './service.ts';
import {
  NewestConversation,
  NewRating,
  RatedMessage,
  VisitorConversation,
  VoiceToken,
  WidgetConfig,
  WidgetContact,
  WidgetReceipt,
  WidgetReply,
  WidgetSubmission,
  WidgetTicket,
  type WidgetTicketMessage,
} from './types.ts';

@Access('public')
@Resolver()
export class WidgetResolver {
  @Query(() => WidgetConfig, { nullable: true, description: 'The configuration of an embedded widget.' })
  widgetConfig(@Ctx() scope: RequestScope, @Arg('publicSlug', () => String) publicSlug: string) {
    return widget.readConfig(scope, publicSlug);
  }

  @Mutation(() => VoiceToken, { description: 'Mint a token for a voice session. Voice must be enabled for the agent.' })
  mintVoiceToken(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => KnownVisitor) { visitorId }: VisitorArgument,
  ) {
    return widget.mintVoiceToken(scope, publicSlug, visitorId);
  }

  @Query(() => VisitorConversation, {
    nullable: true,
    description: 'A conversation of a visitor with its newest messages. The origin of the page must be allowed.',
  })
  widgetConversation(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => ConversationVisitor) { visitorId }: VisitorArgument,
    @Arg('conversationId', () => ID, { description: 'The conversation, or the chat id of the client.' }) conversationId: string,
  ) {
    return widget.readConversation(scope, publicSlug, visitorId, conversationId);
  }

  @Query(() => NewestConversation, {
    nullable: true,
    description: 'The conversation with which a signed-in visitor goes on in another tab, on another device or at the next visit.',
  })
  widgetNewestConversation(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => KnownVisitor) { visitorId }: VisitorArgument,
  ) {
    return widget.newestConversation(scope, publicSlug, visitorId);
  }

  @ListSize(10)
  @Query(() => [ReplyProducts], {
    nullable: true,
    description: 'The products of the newest ten replies with products in a conversation of a visitor, newest reply first.',
  })
  widgetProducts(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => ReplyProductsArguments) input: ReplyProductsArguments,
  ) {
    return listReplyProducts(scope, publicSlug, input);
  }

  @ListSize(20)
  @Query(() => [CustomForm], { nullable: true, description: 'The enabled forms of an agent, for a page that may embed it.' })
  widgetForms(@Ctx() scope: RequestScope, @Arg('publicSlug', () => String) publicSlug: string) {
    return widget.listWidgetForms(scope, publicSlug);
  }

  @Idempotent({ per: 'visitor' })
  @Mutation(() => WidgetReceipt, { description: 'Create a lead from the contact form of a visitor, and emit `lead.created`.' })
  submitWidgetContact(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => WidgetContact) input: WidgetContact,
  ) {
    return widget.submitContact(scope, publicSlug, input);
  }

  @Idempotent({ per: 'visitor' })
  @Mutation(() => WidgetReceipt, { description: 'Store a custom form that a visitor filled in, and emit `form.submitted`.' })
  submitWidgetForm(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => WidgetSubmission) input: WidgetSubmission,
  ) {
    return widget.submitForm(scope, publicSlug, input);
  }

  @ListSize(20)
  @Query(() => [WidgetTicket], {
    nullable: true,
    description:
      'The newest 20 tickets of a visitor, with the replies of the team: those from own conversations, and for a signed-in visitor also those from other devices, and those that the API created with the signed address.',
  })
  async widgetTickets(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => ConversationVisitor) { visitorId }: VisitorArgument,
  ): Promise<WidgetTicket[]> {
    const agent = await embeddedAgent(scope, publicSlug);
    const within = visiting(scope, agent.organizationId);
    const reader = readerOf(agent, await signedInVisitor(scope, agent, visitorId));
    const tickets = await findTickets(within, reader);
    if (tickets.length === 0) return [];
    const matching = (bind: Bind) => `r.id in (select m.id from unnest(${bind(tickets.map(({ id }) => id))}::uuid[]) t (id)
      cross join lateral (select m.id from agent.ticket_messages m where m.ticket_id = t.id and ${isShown(reader, bind)}
        order by m.created_at desc, m.id desc limit ${MAX_MESSAGES}) m)`;
    const messages = await readMessages(within, { matching });
    const byTicket = Map.groupBy(messages, ({ ticketId }) => ticketId);
    return tickets.map((ticket) => ({ ...ticket, messages: (byTicket.get(ticket.id) ?? []).map(toMessage) }));
  }

  /**
   * Record a reply of a visitor on an own ticket; the ticket becomes `on_you`, also when it was closed. Counts against the limits of chat
   * messages. Throws `NOT_FOUND` for a ticket of others, and `FORBIDDEN` without the Helpdesk module.
   */
  @Idempotent({ per: 'visitor' })
  @Mutation(() => WidgetTicket, {
    description: 'Reply to an own ticket as its requester. The ticket becomes `on_you`, also when it was closed.',
  })
  async replyToWidgetTicket(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => WidgetReply) { visitorId, ticketNumber, text }: WidgetReply,
  ): Promise<WidgetTicket> {
    const agent = await embeddedAgent(scope, publicSlug);
    const within = visiting(scope, agent.organizationId);
    if (!(await modulesOf(within)).includes('helpdesk')) throw fail('FORBIDDEN', 'Tickets are not enabled for this agent.');
    const reader = readerOf(agent, await signedInVisitor(scope, agent, visitorId));
    await countMessage(scope, agent, reader.visitorId);
    const [own] = await findTickets(within, reader, ticketNumber);
    if (!own) throw fail('NOT_FOUND', 'Ticket not found');
    const { messageIds, ...ticket } = await scope.writeWithin(within, [agent.id, reader.visitorId], async (inner) => {
      await recordRequesterReply(inner, own.id, text);
      return stateOf(inner, own.id);
    });
    const matching = (bind: Bind) => `r.id in (select m.id from agent.ticket_messages m where ${isShown(reader, bind)})`;
    const messages = await readMessages(within, { where: { id: messageIds }, matching });
    return { ...ticket, messages: messages.map(toMessage) };
  }

  @Mutation(() => RatedMessage, { description: 'Rate a reply of the agent. A later rating replaces the earlier one.' })
  rateMessage(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => NewRating) input: NewRating,
  ) {
    return widget.rateMessage(scope, publicSlug, input);
  }
}

/** Tickets of a visitor, and messages of each, in one list: the newest. */
const [MAX_TICKETS, MAX_MESSAGES] = [20, 50];

const COLUMNS = ['id', 'ticketNumber', 'subject', 'status', 'createdAt', 'lastActivityAt'] as const;

/** The ticket after a reply, with the ids of its messages instead of their texts, because a repeated request returns it again. */
async function stateOf({ em }: Scope, id: string) {
  const { ticketNumber, subject, status, createdAt, lastActivityAt } = await em.findOneOrFail(Ticket, id, { refresh: true });
  const newest = await query(
    em,
    sql<{ id: string }>`select id from agent.ticket_messages where ticket_id = ${id} and kind in ('reply', 'requester')
      order by created_at desc, id desc limit ${MAX_MESSAGES}`,
  );
  return { id, ticketNumber, subject, status, createdAt, lastActivityAt, messageIds: newest.map((each) => each.id) };
}

/** A visitor who reads tickets of an agent. */
interface Reader {
  agent: Agent;
  visitorId: string;
  /** The address that the site has signed. */
  email: string | null;
}

const readerOf = (agent: Agent, { visitorId, identity }: SignedIn): Reader => ({
  agent,
  visitorId,
  email: identity && isVerified(identity) ? identity.email : null,
});

/** A site that signs an address states that it is the address of the visitor, unless it also sends the standard claim with another value. */
const isVerified = ({ claims: { email_verified: claim = true } }: Identity): boolean => claim === true || claim === 'true';

/**
 * The ids of the tickets of a reader: those of own conversations, and for a signed-in visitor those of the own contact, and those that name
 * the own address and come from no conversation. In a conversation, an address is a claim of a visitor, who would read the replies.
 */
function ticketsOf({ agent, visitorId, email }: Reader, bind: Bind): string {
  const agentId = bind(agent.id);
  const own = `select t.id from agent.conversations c join agent.tickets t on t.conversation_id = c.id
    where c.agent_id = ${agentId} and c.visitor_id = ${bind(visitorId)} and c.channel = 'widget'`;
  if (!visitorId.startsWith(VERIFIED)) return own;
  const ofAgent = `t.organization_id = ${bind(agent.organizationId)} and t.agent_id = ${agentId}`;
  const ofContact = `select t.id from agent.visitors v join agent.tickets t on t.contact_id = v.contact_id
    where v.id = ${bind(visitorId.slice(VERIFIED.length))}::uuid and v.agent_id = ${agentId} and ${ofAgent}`;
  if (email === null) return `${own} union ${ofContact}`;
  const named = `select t.id from agent.tickets t
    where lower(t.requester_email) = lower(${bind(email)}::text) and t.conversation_id is null and t.source = 'api' and ${ofAgent}`;
  return `${own} union ${ofContact} union ${named}`;
}

/**
 * Whether a reader sees the message `m` of a ticket. Those of a ticket of somebody else that was merged into it stay private, and so do
 * mails of the requester to others than the owner of the address.
 */
const isShown = (reader: Reader, bind: Bind): string =>
  `m.kind in ('reply', 'requester') and (m.merged_from_id is null or m.merged_from_id in (${ticketsOf(reader, bind)}))
    and (m.mail_id is null or exists (select from agent.tickets t
      where t.id = coalesce(m.merged_from_id, m.ticket_id) and lower(t.requester_email) = lower(${bind(reader.email)}::text)))`;

const readMessages = (scope: Scope, rows: Pick<Rows<TicketMessage>, 'where' | 'matching'>): Promise<TicketMessage[]> =>
  readRows(scope, TicketMessage, { ...rows, orderBy: { createdAt: 'asc', id: 'asc' } });

const findTickets = (scope: Scope, reader: Reader, ticketNumber?: string): Promise<Ticket[]> =>
  readRows(
    scope,
    Ticket,
    {
      columns: COLUMNS,
      where: ticketNumber === undefined ? {} : { ticketNumber },
      matching: (bind) => `r.id in (${ticketsOf(reader, bind)})`,
      orderBy: { createdAt: 'desc', id: 'desc' },
    },
    { limit: MAX_TICKETS, offset: 0 },
  );

function toMessage({ id, kind, authorName, text, createdAt }: TicketMessage): WidgetTicketMessage {
  const isFromTeam = kind !== 'requester';
  return { id, authorName: isFromTeam ? teamName(authorName) : authorName, text, createdAt, isFromTeam };
}
