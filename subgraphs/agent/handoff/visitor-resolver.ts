import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { NullIsAnswer } from '../../../platform/subgraph/index.ts';
import { AwayNotice } from '../agents/office-hours.ts';
import { KnownVisitor, type VisitorArgument } from '../chat/types.ts';
import { HandoffToken } from '../widget/types.ts';
import {
  AFTER,
  HandoffEvent,
  HandoffMessage,
  HandoffRequest,
  RequestedHandoff,
  SeenArguments,
  VisitorMessageArguments,
} from './entity.ts';
import { mintHandoffToken } from './handoff-token.ts';
import * as visitors from './visitor.ts';

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

  @Mutation(() => RequestedHandoff, {
    description: 'Ask for a person. The agent answers until somebody takes the conversation over. Needs the module `helpdesk`.',
  })
  requestHandoff(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => HandoffRequest) input: HandoffRequest,
  ) {
    return visitors.requestHandoff(scope, publicSlug, input);
  }

  @Subscription(() => HandoffEvent, {
    description:
      'Events of the conversation of a handoff token, in order, until the handoff is closed or the token expires. A client that reconnects with the last `sequence` misses no message.',
    subscribe: ({ context, args }) => visitors.followHandoff(context as RequestScope, args.after),
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
    return visitors.placeInLine(scope);
  }

  @NullIsAnswer()
  @Query(() => AwayNotice, {
    nullable: true,
    description:
      'The away message and the next opening for a visitor who waits outside of the office hours; null within them. Needs a handoff token.',
  })
  visitorHandoffAway(@Ctx() scope: RequestScope) {
    return visitors.readAwayNotice(scope);
  }

  @Mutation(() => HandoffMessage, { description: 'Send a message to the operator of the conversation. Needs a handoff token.' })
  sendVisitorMessage(@Ctx() scope: RequestScope, @Args(() => VisitorMessageArguments) message: VisitorMessageArguments) {
    return visitors.sendMessage(scope, message);
  }

  @Mutation(() => Boolean, {
    description:
      'Show the operator that the visitor is typing. Call it every few seconds. Returns false when nothing was sent. Needs a handoff token.',
  })
  setVisitorTyping(@Ctx() scope: RequestScope) {
    return visitors.showTyping(scope);
  }

  @Mutation(() => Boolean, {
    description:
      'Show the operator which messages the visitor has seen. Returns false when nothing changed. Needs a handoff token.',
  })
  setVisitorSeen(@Ctx() scope: RequestScope, @Args(() => SeenArguments) { position }: SeenArguments) {
    return visitors.showSeen(scope, position);
  }

  @Mutation(() => Boolean, {
    description: 'Close the handoff, which revokes the token. Returns false when no handoff is open. Needs a handoff token.',
  })
  endHandoff(@Ctx() scope: RequestScope) {
    return visitors.leaveHandoff(scope);
  }
}
