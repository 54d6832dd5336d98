import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { listReplyProducts, ReplyProducts, ReplyProductsArguments } from '../catalog/product-cards.ts';
import { ConversationVisitor, KnownVisitor, type VisitorArgument } from '../chat/types.ts';
import { CustomForm } from '../forms/entity.ts';
import * as ratings from './service.ts';
import * as records from './service.ts';
import * as widget from './service.ts';
import { mintVoiceToken, newestConversation, readConversation } from './service.ts';
import * as tickets from './tickets.ts';
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
    return mintVoiceToken(scope, publicSlug, visitorId);
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
    return readConversation(scope, publicSlug, visitorId, conversationId);
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
    return newestConversation(scope, publicSlug, visitorId);
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
    return records.listWidgetForms(scope, publicSlug);
  }

  @Idempotent({ per: 'visitor' })
  @Mutation(() => WidgetReceipt, { description: 'Create a lead from the contact form of a visitor, and emit `lead.created`.' })
  submitWidgetContact(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => WidgetContact) input: WidgetContact,
  ) {
    return records.submitContact(scope, publicSlug, input);
  }

  @Idempotent({ per: 'visitor' })
  @Mutation(() => WidgetReceipt, { description: 'Store a custom form that a visitor filled in, and emit `form.submitted`.' })
  submitWidgetForm(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => WidgetSubmission) input: WidgetSubmission,
  ) {
    return records.submitForm(scope, publicSlug, input);
  }

  @ListSize(20)
  @Query(() => [WidgetTicket], {
    nullable: true,
    description:
      'The newest 20 tickets of a visitor, with the replies of the team: those from own conversations, and for a signed-in visitor also those from other devices, and those that the API created with the signed address.',
  })
  widgetTickets(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => ConversationVisitor) { visitorId }: VisitorArgument,
  ) {
    return tickets.listWidgetTickets(scope, publicSlug, visitorId);
  }

  @Idempotent({ per: 'visitor' })
  @Mutation(() => WidgetTicket, {
    description: 'Reply to an own ticket as its requester. The ticket becomes `on_you`, also when it was closed.',
  })
  replyToWidgetTicket(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => WidgetReply) input: WidgetReply,
  ) {
    return tickets.replyToTicket(scope, publicSlug, input);
  }

  @Mutation(() => RatedMessage, { description: 'Rate a reply of the agent. A later rating replaces the earlier one.' })
  rateMessage(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => NewRating) input: NewRating,
  ) {
    return ratings.rateMessage(scope, publicSlug, input);
  }
}
