import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Agent, AgentSummary } from '../agents/entity.ts';
import { Conversation } from '../conversations/entity.ts';
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
import * as handoffs from './service.ts';

@Access('member')
@Resolver(() => Handoff)
export class HandoffResolver {
  @Query(() => HandoffPage, { description: 'The handoffs of the organization, newest first.' })
  handoffs(@Ctx() scope: RequestScope, @Args(() => HandoffsArguments) input: HandoffsArguments) {
    return handoffs.listHandoffs(scope, input);
  }

  @Query(() => Handoff, { nullable: true, description: 'One handoff by id.' })
  handoff(@Ctx() scope: RequestScope, @Id() id: string) {
    return handoffs.findHandoff(scope, id);
  }

  @Mutation(() => Handoff, {
    description:
      'Take a conversation over from its agent, also without a request. The agent is silent until the handoff ends, and its running reply stops. Requires the Helpdesk module.',
  })
  takeOverConversation(
    @Ctx() scope: RequestScope,
    @Id('conversationId') conversationId: string,
    @Arg('force', () => Boolean, { defaultValue: false, description: 'Also take over a conversation that another operator has.' })
    force: boolean,
  ) {
    return handoffs.takeOver(scope, conversationId, force);
  }

  @Mutation(() => HandoffMessage, {
    description: 'Send a message to the visitor. Only the operator of the conversation may do so.',
  })
  sendOperatorMessage(
    @Ctx() scope: RequestScope,
    @Args(() => OperatorMessageArguments) { id, ...message }: OperatorMessageArguments,
  ) {
    return handoffs.sendMessage(scope, id, message);
  }

  @Mutation(() => Boolean, {
    description: 'Show the visitor that the operator is typing. Call it every few seconds. Returns false when nothing was sent.',
  })
  setOperatorTyping(@Ctx() scope: RequestScope, @Arg('id', () => ID, { description: 'The handoff.' }) id: string) {
    return handoffs.showTyping(scope, id);
  }

  @Mutation(() => Boolean, {
    description: 'Show the visitor which messages the team has seen. Returns false when nothing changed.',
  })
  setOperatorSeen(@Ctx() scope: RequestScope, @Args(() => OperatorSeenArguments) { id, position }: OperatorSeenArguments) {
    return handoffs.showSeen(scope, id, position);
  }

  @Mutation(() => Handoff, { description: 'Give the conversation back to its agent, which answers the next message.' })
  returnHandoff(@Ctx() scope: RequestScope, @Id() id: string) {
    return handoffs.endHandoff(scope, id, 'returned');
  }

  @Mutation(() => Handoff, { description: 'Close the handoff and its conversation, and revoke the tokens of the visitor.' })
  closeHandoff(@Ctx() scope: RequestScope, @Id() id: string) {
    return handoffs.endHandoff(scope, id, 'closed');
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
    subscribe: ({ context, args }) => handoffs.followConversation(context as RequestScope, args.conversationId, args.after),
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
    return handoffs.unseenOf(scope.within(organizationId), conversationId);
  }
}

@Resolver(() => Conversation)
export class ConversationHandoffResolver {
  @FieldResolver(() => Handoff, {
    nullable: true,
    description: 'The open handoff, which waits for a person or is with one; null if none is open.',
  })
  openHandoff(@Ctx() scope: RequestScope, @Root() conversation: Conversation) {
    return handoffs.openHandoffOf(scope.within(conversation.organizationId), conversation);
  }
}
