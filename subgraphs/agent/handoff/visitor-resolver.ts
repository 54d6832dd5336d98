import { randomUUID } from 'node:crypto';
import { EventStream } from 'compiled-gateway/event-stream';
import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { clock, lockName, query, sql } from '../../../platform/database/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { followChanges } from '../../../platform/progress/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { NullIsAnswer } from '../../../platform/subgraph/index.ts';
import { fail } from '../../../schema/errors.ts';
import { AwayNotice } from '../agents/office-hours.ts';
import { holdAgent } from '../agents/service.ts';
import { countMessage, linkContact, visitorSender } from '../chat/sender.ts';
import { KnownVisitor, type VisitorArgument } from '../chat/types.ts';
import { emitStarted } from '../conversations/conversation-events.ts';
import { ERASED_VISITOR } from '../conversations/entity.ts';
import { textOrNull } from '../visitor-text.ts';
import { HandoffToken } from '../widget/types.ts';
import {
  AFTER,
  Handoff,
  HandoffEvent,
  HandoffMessage,
  HandoffRequest,
  RequestedHandoff,
  SeenArguments,
  VisitorMessageArguments,
} from './entity.ts';
import { findVisitorConversation, mintHandoffToken, readToken, requireHandoffs, type TokenHolder } from './handoff-queue.ts';
import { end, handoffLog, isOpen, lockConversation, openHandoff, type ReadEvent, readAway } from './handoff-state.ts';
import { addMessage, setSeen, setTyping } from './messages.ts';

/** Operations of visitors. All but the first two need a handoff token, which names the conversation. */
@Access('public')
@Resolver()
export class VisitorHandoffResolver {
  @Query(() => HandoffToken, {
    nullable: true,
    description: 'Mint a token for the messages of people in a conversation. Needs the module `helpdesk`.',
  })
  handoffToken(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => KnownVisitor) { visitorId }: VisitorArgument,
    @Arg('conversationId', () => ID, { nullable: true, description: 'Default: the newest conversation of the visitor.' })
    conversationId?: string | null,
  ) {
    return mintHandoffToken(scope, publicSlug, visitorId, conversationId);
  }

  /** Ask for a person on behalf of a visitor. A second request while a handoff is open returns that one. Counts as a chat message. */
  @Mutation(() => RequestedHandoff, {
    description: 'Ask for a person. The agent answers until somebody takes the conversation over. Needs the module `helpdesk`.',
  })
  async requestHandoff(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => HandoffRequest) { visitorId, conversationId, reason }: HandoffRequest,
  ): Promise<RequestedHandoff> {
    const { agent, scope: within, visitorId: visitor, clientId } = await visitorSender(scope, publicSlug, visitorId);
    await requireHandoffs(within);
    await countMessage(scope, agent, visitor);
    return transaction(within, async (inner) => {
      // Two first requests of a visitor must not create two conversations.
      if (!conversationId) await lockName(inner.em, `handoffs of ${agent.id} ${visitor}`);
      const found = await findVisitorConversation(inner, agent, visitor, conversationId);
      if (conversationId && !found) throw fail('NOT_FOUND', 'Conversation not found');
      const id = found?.id ?? (await createConversation(inner, agent.id, visitor));
      const conversation = await lockConversation(inner, id);
      const handoff = await openHandoff(inner, conversation, { ...VISITOR, reason: textOrNull(reason) });
      return { id: handoff.id, status: handoff.status, conversationId: id, visitorId: clientId, createdAt: handoff.createdAt };
    });
  }

  @Subscription(() => HandoffEvent, {
    description:
      'Events of the conversation of a handoff token, in order, until the handoff is closed or the token expires. A client that reconnects with the last `sequence` misses no message.',
    subscribe: ({ context, args }) => followHandoff(context as RequestScope, args.after),
  })
  visitorHandoffEvents(
    @Root() event: HandoffEvent,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): HandoffEvent {
    return event;
  }

  @NullIsAnswer()
  @Query(() => Int, {
    nullable: true,
    description:
      'The place of the visitor among those who wait for a person, from 1, counted up to 1,000; null unless the visitor waits. Needs a handoff token.',
  })
  visitorHandoffPlace(@Ctx() scope: RequestScope) {
    return placeInLine(scope);
  }

  @NullIsAnswer()
  @Query(() => AwayNotice, {
    nullable: true,
    description:
      'The away message and the next opening for a visitor who waits outside of the office hours; null within them. Needs a handoff token.',
  })
  visitorHandoffAway(@Ctx() scope: RequestScope) {
    return readAwayNotice(scope);
  }

  @Mutation(() => HandoffMessage, { description: 'Send a message to the operator of the conversation. Needs a handoff token.' })
  sendVisitorMessage(@Ctx() scope: RequestScope, @Args(() => VisitorMessageArguments) message: VisitorMessageArguments) {
    return sendMessage(scope, message);
  }

  @Mutation(() => Boolean, {
    description:
      'Show the operator that the visitor is typing. Call it every few seconds. Returns false when nothing was sent. Needs a handoff token.',
  })
  setVisitorTyping(@Ctx() scope: RequestScope) {
    return showTyping(scope);
  }

  @Mutation(() => Boolean, {
    description:
      'Show the operator which messages the visitor has seen. Returns false when nothing changed. Needs a handoff token.',
  })
  setVisitorSeen(@Ctx() scope: RequestScope, @Args(() => SeenArguments) { position }: SeenArguments) {
    return showSeen(scope, position);
  }

  @Mutation(() => Boolean, {
    description: 'Close the handoff, which revokes the token. Returns false when no handoff is open. Needs a handoff token.',
  })
  endHandoff(@Ctx() scope: RequestScope) {
    return leaveHandoff(scope);
  }
}

const VISITOR = { party: 'visitor' } as const;

async function createConversation(scope: Scope, agentId: string, visitorId: string): Promise<string> {
  const { em, organizationId } = scope;
  await holdAgent(scope, agentId);
  const [created] = await query(
    em,
    sql<{
      id: string;
    }>`insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status, last_message_at)
                        values (${randomUUID()}, ${organizationId}, ${agentId}, ${visitorId}, 'widget', 'open', now()) returning id`,
  );
  await linkContact(scope, created!.id, visitorId);
  await emitStarted(scope, { id: created!.id, agentId });
  return created!.id;
}

/**
 * Streams the events of the visitor's conversation after the given one, until its handoff is closed, the token expires, or the conversation
 * becomes that of a visitor who has signed in.
 */
async function followHandoff(request: RequestScope, after?: number | null): Promise<EventStream<HandoffEvent>> {
  const { scope, conversationId, visitorId, sequence, expiresAt } = await readToken(request);
  const events = await followChanges(handoffLog, scope, { id: conversationId, sequence, after });
  return endingAt(events, visitorId, expiresAt * 1_000);
}

function endingAt(events: EventStream<ReadEvent>, visitorId: string, time: number): EventStream<HandoffEvent> {
  const timer = setTimeout(() => limited.end(), time - clock.ms()).unref();
  const limited = new EventStream<HandoffEvent>(
    async () => {
      const { value } = await events.next();
      // An erasure closes the handoff, which is the last event.
      return value && [visitorId, ERASED_VISITOR].includes(value.visitorId) ? value : undefined;
    },
    () => {
      clearTimeout(timer);
      events.end();
    },
  );
  return limited;
}

/** Send a message to the operator of the conversation. Counts against the limits of chat messages. */
async function sendMessage(request: RequestScope, { text, clientId = null }: VisitorMessageArguments): Promise<HandoffMessage> {
  const holder = await readToken(request);
  await countMessage(request, { id: holder.agentId }, holder.visitorId);
  return transaction(holder.scope, async (inner) => {
    const conversation = await lockConversation(inner, holder.conversationId);
    if (conversation.handoffStatus !== 'active')
      throw fail('UNPROCESSABLE', 'No person has this conversation. Write to the agent instead.');
    return addMessage(inner, conversation, VISITOR, { text, clientId });
  });
}

async function showTyping(request: RequestScope): Promise<boolean> {
  const { scope, conversationId } = await readToken(request);
  return setTyping(scope, conversationId, VISITOR);
}

async function showSeen(request: RequestScope, position: number): Promise<boolean> {
  const { scope, conversationId } = await readToken(request);
  return setSeen(scope, conversationId, VISITOR, position);
}

/** Places that are counted. */
const MAX_PLACE = 1_000;

/** The place of the visitor among those who wait for a person, from 1; null unless the visitor waits. */
async function placeInLine(request: RequestScope): Promise<number | null> {
  const { scope, conversationId } = await readToken(request);
  const [line] = await query(
    scope.em,
    sql<{ place: number }>`
      select (select count(*)::int from (
                select from agent.handoffs w
                 where w.organization_id = h.organization_id and w.status = 'waiting' and (w.created_at, w.id) <= (h.created_at, h.id)
                 limit ${MAX_PLACE}) w) as place
        from agent.handoffs h
       where h.conversation_id = ${conversationId} and h.organization_id = ${scope.organizationId} and h.status = 'waiting'`,
  );
  return line?.place ?? null;
}

/** The away message and the next opening; null within the office hours of the agent. */
async function readAwayNotice(request: RequestScope): Promise<AwayNotice | null> {
  const { scope, agentId } = await readToken(request);
  return readAway(scope, agentId);
}

/** Close the open handoff of the visitor's conversation, which revokes the token. Returns false when none is open. */
async function leaveHandoff(request: RequestScope): Promise<boolean> {
  const { scope, conversationId }: TokenHolder = await readToken(request);
  return transaction(scope, async (inner) => {
    const conversation = await lockConversation(inner, conversationId);
    if (!isOpen(conversation.handoffStatus)) return false;
    const handoff = await inner.em.findOneOrFail(Handoff, conversation.handoffId!);
    await end(inner, conversation, handoff, 'closed', VISITOR);
    return true;
  });
}
