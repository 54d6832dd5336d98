import type { EventStream } from 'compiled-gateway/event-stream';
import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { isId, query, readById, readRows, sql } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Access, requireHelpdesk } from '../../../platform/identity/index.ts';
import { listPage, sizeOf } from '../../../platform/lists/index.ts';
import { followChanges } from '../../../platform/progress/index.ts';
import { detached, type RequestScope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Agent, AgentSummary } from '../agents/entity.ts';
import { Conversation } from '../conversations/entity.ts';
import { teamName } from '../visitor-text.ts';
import {
  AFTER,
  Handoff,
  HandoffEvent,
  HandoffMessage,
  HandoffPage,
  HandoffQueue,
  HandoffsArguments,
  OperatorMessageArguments,
  OperatorSeenArguments,
} from './entity.ts';
import { followQueue } from './handoff-queue.ts';
import {
  type Actor,
  assign,
  end,
  handoffLog,
  isOpen,
  lockConversation,
  lockHandoff,
  openHandoff,
  release,
} from './handoff-state.ts';
import { addMessage, setSeen, setTyping } from './messages.ts';

@Access('member')
@Resolver(() => Handoff)
export class HandoffResolver {
  @Query(() => HandoffPage, { description: 'The handoffs of the organization, newest first.' })
  handoffs(@Ctx() scope: RequestScope, @Args(() => HandoffsArguments) { status, agentId, ...page }: HandoffsArguments) {
    const where = { ...(status && { status }), ...(agentId && { agentId: isId(agentId) ? agentId : [] }) };
    return listPage(
      scope,
      Handoff,
      { where, orderBy: { createdAt: 'desc', id: 'desc' } },
      page,
      sizeOf('handoffs', [agentId?.toLowerCase(), status]),
    );
  }

  @Query(() => Handoff, { nullable: true, description: 'One handoff by id.' })
  handoff(@Ctx() scope: RequestScope, @Id() id: string) {
    return findHandoff(scope, id);
  }

  /** Take a conversation over from its agent, or with `force` from a colleague. Throws `CONFLICT` while a colleague has it. */
  @Mutation(() => Handoff, {
    description:
      'Take a conversation over from its agent, also without a request. The agent is silent until the handoff ends, and its running reply stops. Requires the Helpdesk module.',
  })
  takeOverConversation(
    @Ctx() scope: RequestScope,
    @Id('conversationId') conversationId: string,
    @Arg('force', () => Boolean, { defaultValue: false, description: 'Also take over a conversation that another operator has.' })
    force: boolean,
  ): Promise<Handoff> {
    requireHelpdesk(scope, 'Handoffs');
    return transaction(scope, async (inner) => {
      const conversation = await lockConversation(inner, conversationId);
      const operator = operatorOf(scope);
      const handoff = await openHandoff(inner, conversation, operator);
      if (handoff.operatorId === operator.id) return handoff;
      if (handoff.status === 'active' && !force)
        throw fail('CONFLICT', `${handoff.operatorName} has already taken over this conversation.`);
      await assign(inner, conversation, handoff, operator);
      return handoff;
    });
  }

  @Mutation(() => HandoffMessage, {
    description: 'Send a message to the visitor. Only the operator of the conversation may do so.',
  })
  sendOperatorMessage(
    @Ctx() scope: RequestScope,
    @Args(() => OperatorMessageArguments) { id, ...message }: OperatorMessageArguments,
  ): Promise<HandoffMessage> {
    return transaction(scope, async (inner) => {
      const { handoff, conversation } = await lockHandoff(inner, id);
      requireOperator(handoff, scope);
      return addMessage(inner, conversation, operatorOf(scope), { text: message.text, clientId: message.clientId ?? null });
    });
  }

  @Mutation(() => Boolean, {
    description: 'Show the visitor that the operator is typing. Call it every few seconds. Returns false when nothing was sent.',
  })
  async setOperatorTyping(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID, { description: 'The handoff.' }) id: string,
  ): Promise<boolean> {
    const handoff = await findHandoff(scope, id);
    requireOperator(handoff, scope);
    return setTyping(scope, handoff.conversationId, operatorOf(scope));
  }

  @Mutation(() => Boolean, {
    description: 'Show the visitor which messages the team has seen. Returns false when nothing changed.',
  })
  async setOperatorSeen(
    @Ctx() scope: RequestScope,
    @Args(() => OperatorSeenArguments) { id, position }: OperatorSeenArguments,
  ): Promise<boolean> {
    const handoff = await findHandoff(scope, id);
    return setSeen(scope, handoff.conversationId, operatorOf(scope), position);
  }

  @Mutation(() => Handoff, { description: 'Give the conversation back to its agent, which answers the next message.' })
  returnHandoff(@Ctx() scope: RequestScope, @Id() id: string) {
    return endHandoff(scope, id, 'returned');
  }

  @Mutation(() => Handoff, { description: 'Close the handoff and its conversation, and revoke the tokens of the visitor.' })
  closeHandoff(@Ctx() scope: RequestScope, @Id() id: string) {
    return endHandoff(scope, id, 'closed');
  }

  @Subscription(() => HandoffQueue, {
    description: 'The open handoffs of the organization: the current list first, then the whole list after each change.',
    subscribe: ({ context }) => followQueue(context as RequestScope),
  })
  handoffQueue(@Root() queue: HandoffQueue): HandoffQueue {
    return queue;
  }

  @Subscription(() => HandoffEvent, {
    description:
      'Events of a conversation with a handoff: messages, status, typing and seen, in order, until the handoff is closed. A client that reconnects with the last `sequence` misses no message.',
    subscribe: ({ context, args }) => followConversation(context as RequestScope, args.conversationId, args.after),
  })
  handoffEvents(
    @Root() event: HandoffEvent,
    @Id('conversationId') _conversationId: string,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): HandoffEvent {
    return event;
  }

  @FieldResolver(() => Conversation, { nullable: true })
  conversation(@Ctx() scope: RequestScope, @Root() { conversationId, organizationId }: Handoff) {
    return scope.within(organizationId).load(Conversation, conversationId);
  }

  @FieldResolver(() => AgentSummary, { nullable: true })
  agent(@Ctx() scope: RequestScope, @Root() { agentId, organizationId }: Handoff) {
    return scope.within(organizationId).load(Agent, agentId);
  }

  @FieldResolver(() => Int, { description: 'Number of messages of the visitor that no operator has seen.' })
  unseenMessages(@Ctx() scope: RequestScope, @Root() { conversationId, organizationId }: Handoff) {
    return unseenOf(scope.within(organizationId), conversationId);
  }
}

@Resolver(() => Conversation)
export class ConversationHandoffResolver {
  @FieldResolver(() => Handoff, {
    nullable: true,
    description: 'The open handoff, which waits for a person or is with one; null if none is open.',
  })
  openHandoff(@Ctx() scope: RequestScope, @Root() conversation: Conversation) {
    return openHandoffOf(scope.within(conversation.organizationId), conversation);
  }
}

const STATE_COLUMNS = ['id', 'eventSequence'] as const;

/** Throws `NOT_FOUND`. */
const findHandoff = (scope: RequestScope, id: string): Promise<Handoff> => readById(scope, Handoff, id, 'Handoff');

/** The handoff of a conversation that waits for a person or that a person has. Batches a list into one query. */
async function openHandoffOf(scope: RequestScope, { id, handoffStatus }: Conversation): Promise<Handoff | null> {
  if (!isOpen(handoffStatus)) return null;
  const read = scope.batch('open handoffs', async (ids) => {
    const found = await readRows(scope, Handoff, { where: { conversationId: ids, status: ['waiting', 'active'] } });
    return new Map(found.map((handoff) => [handoff.conversationId, handoff]));
  });
  return read(id);
}

/** Messages of the visitor that no operator has seen. Batches a list into one query. */
async function unseenOf(scope: RequestScope, conversationId: string): Promise<number> {
  const read = scope.batch('unseen messages', async (ids) => {
    const counts = await query(
      scope.em,
      sql<{ id: string; unseen: number }>`
        select c.id, count(m.id)::int as unseen from agent.conversations c
          left join agent.messages m on m.conversation_id = c.id and m.position > c.operator_seen and m.role = 'user'
         where c.id = any(${ids}::uuid[]) and c.organization_id = ${scope.organizationId} group by c.id`,
    );
    return new Map(counts.map(({ id, unseen }) => [id, unseen]));
  });
  return (await read(conversationId)) ?? 0;
}

/** End an open handoff. Any member may, because the operator may have left. */
function endHandoff(scope: RequestScope, id: string, status: 'returned' | 'closed'): Promise<Handoff> {
  return transaction(scope, async (inner) => {
    const { handoff, conversation } = await lockHandoff(inner, id);
    if (!isOpen(handoff.status)) throw fail('UNPROCESSABLE', `The handoff is ${handoff.status}.`);
    await end(inner, conversation, handoff, status, operatorOf(scope));
    return handoff;
  });
}

/** Streams the events of a conversation after the given one, in order, until its handoff is closed. */
async function followConversation(scope: RequestScope, id: string, after?: number | null): Promise<EventStream<HandoffEvent>> {
  const conversation = await readById(scope, Conversation, id, 'Conversation', { columns: STATE_COLUMNS });
  return followChanges(handoffLog, scope, { id: conversation.id, sequence: conversation.eventSequence, after });
}

/** Visitors see only the name. */
const operatorOf = ({ caller }: RequestScope): Actor => ({
  party: 'operator',
  id: caller.userId,
  name: teamName(caller.name),
});

function requireOperator({ status, operatorId, operatorName }: Handoff, { caller }: RequestScope): void {
  if (status !== 'active')
    throw fail('UNPROCESSABLE', status === 'waiting' ? 'Take the conversation over first.' : `The handoff is ${status}.`);
  if (operatorId !== caller.userId) throw fail('CONFLICT', `${operatorName} has already taken over this conversation.`);
}

/** Open handoffs without a message for a day, which begins with the next opening outside of the office hours. Nobody waits for them any more. */
const IDLE = `
  select h.id, h.organization_id as "organizationId" from agent.handoffs h join agent.conversations c on c.id = h.conversation_id
   where h.status in ('waiting', 'active') and greatest(h.created_at, h.taken_at, h.away_until, c.last_message_at) < now() - interval '1 day'`;

/** Active handoffs whose operator has left the organization. */
const ABANDONED = `
  select h.id, h.organization_id as "organizationId" from agent.handoffs h
   where h.status = 'active'
     and not exists (select from identity.memberships m where m.organization_id = h.organization_id and m.user_id = h.operator_id)`;

/** Close handoffs that both sides have left, and let those whose operator has left the organization wait for another person. */
export async function sweepHandoffs(services: Services): Promise<void> {
  await sweepThose(services, IDLE, (scope, conversation, handoff) => end(scope, conversation, handoff, 'closed', null));
  await sweepThose(services, ABANDONED, release);
}

async function sweepThose(services: Services, which: string, change: typeof release): Promise<void> {
  const { rows } = await services.pool.query<{ id: string; organizationId: string }>(`${which} limit 100`);
  for (const { id, organizationId } of rows) {
    const changing = transaction(detached({ services, organizationId }), async (inner) => {
      const { handoff, conversation } = await lockHandoff(inner, id);
      // A message or another operator may have come before the lock.
      const [found] = await query(inner.em, sql`${sql.raw(which)} and h.id = ${id}`);
      if (found) await change(inner, conversation, handoff);
    });
    await changing.catch((error: unknown) => log.warn({ err: error, handoffId: id }, 'Failed to end or release a handoff'));
  }
}
