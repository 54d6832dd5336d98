import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Args, Authorized, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { pageContextOf } from '../chat/types.ts';
import { Contact } from '../contacts/entity.ts';
import { contactOf } from '../contacts/service.ts';
import { OutgoingMail } from '../mails/entity.ts';
import {
  Conversation,
  ConversationPage,
  ConversationsArguments,
  DeletedConversation,
  MessagePage,
  MessagesArguments,
  QuestionStatusArguments,
  UnansweredQuestionPage,
  UnansweredQuestionsArguments,
  VERIFIED,
} from './entity.ts';
import * as conversations from './service.ts';
import { mailTranscript } from './service.ts';

@Access('member')
@Resolver(() => Conversation)
export class ConversationResolver {
  @Query(() => ConversationPage, { description: 'Conversations of the organization, those with the newest messages first.' })
  conversations(@Ctx() scope: RequestScope, @Args(() => ConversationsArguments) input: ConversationsArguments) {
    return conversations.listConversations(scope, input);
  }

  @Query(() => Conversation, { nullable: true, description: 'One conversation by id.' })
  conversation(@Ctx() scope: RequestScope, @Id() id: string) {
    return conversations.findConversation(scope, id);
  }

  @Query(() => UnansweredQuestionPage, {
    description:
      'Questions that nothing answered, newest first: by default those that are still open. Add sources that answer them.',
  })
  unansweredQuestions(@Ctx() scope: RequestScope, @Args(() => UnansweredQuestionsArguments) input: UnansweredQuestionsArguments) {
    return conversations.listUnanswered(scope, input);
  }

  @Mutation(() => Int, {
    description:
      'Set the status of unanswered questions. Returns the number of questions. A question that somebody asks again is a new entry.',
  })
  setQuestionStatus(
    @Ctx() scope: RequestScope,
    @Args(() => QuestionStatusArguments) { messageIds, status }: QuestionStatusArguments,
  ) {
    return conversations.setQuestionStatus(scope, messageIds, status);
  }

  @Mutation(() => Conversation, {
    description: 'Close or reopen a conversation. Closing also closes an open handoff. A new message of the visitor reopens it.',
  })
  setConversationStatus(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('status', () => enumTypes.ConversationStatus) status: EnumValue<'ConversationStatus'>,
  ) {
    return conversations.setStatus(scope, id, status);
  }

  @Idempotent()
  @Mutation(() => OutgoingMail, { description: 'Mail the messages of a conversation to its contact.' })
  mailTranscript(@Ctx() scope: RequestScope, @Id('conversationId') conversationId: string) {
    return mailTranscript(scope, conversationId);
  }

  @Authorized('admin')
  @Mutation(() => DeletedConversation, { description: 'Delete a conversation with all of its messages.' })
  deleteConversation(@Ctx() scope: RequestScope, @Id() id: string) {
    return conversations.deleteConversation(scope, id);
  }

  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'Null until a lead or a ticket identifies the visitor.',
  })
  contact(@Ctx() scope: RequestScope, @Root() { contactId, organizationId }: Conversation) {
    return contactOf(scope.within(organizationId), contactId);
  }

  @FieldResolver(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'The page on which the visitor wrote the newest message, as the page described it. Nobody has checked it, so show it as text.',
  })
  pageContext(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Conversation) {
    return pageContextOf(scope.within(organizationId), id);
  }

  @FieldResolver(() => Boolean, { description: 'Whether the site has signed the identity of the visitor.' })
  verified(@Root() { visitorId }: Conversation): boolean {
    return visitorId.startsWith(VERIFIED);
  }

  @FieldResolver(() => MessagePage, { description: 'The messages, oldest first.' })
  messages(@Ctx() scope: RequestScope, @Root() conversation: Conversation, @Args(() => MessagesArguments) page: MessagesArguments) {
    return conversations.listMessages(scope.within(conversation.organizationId), conversation, page);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'The beginning of the newest message, up to 200 characters; null without a message.',
  })
  lastMessageText(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Conversation) {
    return conversations.lastMessageTextOf(scope.within(organizationId), id);
  }
}
