import { Arg, Args, Ctx, ID, Mutation, Resolver, Root, Subscription } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import * as chats from './service.ts';
import { AdminChatArguments, ChatArguments, ChatReplyArguments, NewVisitor, ReplyPart, type VisitorArgument } from './types.ts';

@Access('admin')
@Resolver()
export class ChatResolver {
  @Subscription(() => ReplyPart, {
    description: 'Send a message to an agent and stream its reply. The reply continues when the subscription ends.',
    subscribe: ({ context, args }) => chats.chat(context as RequestScope, args.agentId, args as AdminChatArguments),
  })
  chat(
    @Root() part: ReplyPart,
    @Id('agentId') _agentId: string,
    @Args(() => AdminChatArguments) _input: AdminChatArguments,
  ): ReplyPart {
    return part;
  }

  @Subscription(() => ReplyPart, {
    description: 'The running reply of a conversation from its first part. Ends at once when no reply is running.',
    subscribe: ({ context, args }) => chats.followChat(context as RequestScope, args.agentId, args.conversationId, args.after),
  })
  chatReply(
    @Root() part: ReplyPart,
    @Id('agentId') _agentId: string,
    @Args(() => ChatReplyArguments) _input: ChatReplyArguments,
  ): ReplyPart {
    return part;
  }

  @Mutation(() => Boolean, { description: 'Stop the running reply of a conversation. Returns false when no reply is running.' })
  stopReply(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('conversationId', () => ID, { description: 'The conversation, or the chat id of the client.' }) conversationId: string,
  ) {
    return chats.stopChat(scope, agentId, conversationId);
  }
}

@Access('public')
@Resolver()
export class WidgetChatResolver {
  @Subscription(() => ReplyPart, {
    description: 'Send a message of a visitor to an agent and stream its reply. The origin of the page must be allowed.',
    subscribe: ({ context, args }) =>
      chats.widgetChat(context as RequestScope, args.publicSlug, args.visitorId, args as ChatArguments),
  })
  widgetChat(
    @Root() part: ReplyPart,
    @Arg('publicSlug', () => String) _publicSlug: string,
    @Args(() => NewVisitor) _visitor: VisitorArgument,
    @Args(() => ChatArguments) _input: ChatArguments,
  ): ReplyPart {
    return part;
  }

  @Subscription(() => ReplyPart, {
    description: 'The running reply of a conversation of a visitor. Ends at once when no reply is running.',
    subscribe: ({ context, args }) =>
      chats.followWidgetChat(context as RequestScope, args.publicSlug, args.visitorId, args.conversationId, args.after),
  })
  widgetChatReply(
    @Root() part: ReplyPart,
    @Arg('publicSlug', () => String) _publicSlug: string,
    @Args(() => NewVisitor) _visitor: VisitorArgument,
    @Args(() => ChatReplyArguments) _input: ChatReplyArguments,
  ): ReplyPart {
    return part;
  }

  @Mutation(() => Boolean, { description: 'Stop the running reply of a visitor. Returns false when no reply is running.' })
  stopWidgetReply(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Arg('visitorId', () => String, { description: 'The visitor id of the conversation.' }) visitorId: string,
    @Arg('conversationId', () => ID, { description: 'The conversation, or the chat id of the client.' }) conversationId: string,
  ) {
    return chats.stopWidgetChat(scope, publicSlug, visitorId, conversationId);
  }
}
