import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { decideWidgetApproval } from '../chat/service.ts';
import { ConversationVisitor, ReplyPart, type VisitorArgument } from '../chat/types.ts';
import { Conversation } from '../conversations/entity.ts';
import { Approval, ApprovalPage, ApprovalsArguments, VisitorApproval } from './entity.ts';
import * as approvals from './service.ts';

@Resolver(() => Approval)
export class ApprovalResolver {
  @Authorized('member')
  @Query(() => ApprovalPage, { description: 'The approvals of tool calls of the organization, newest first.' })
  approvals(@Ctx() scope: RequestScope, @Args(() => ApprovalsArguments) input: ApprovalsArguments) {
    return approvals.listApprovals(scope, input);
  }

  @Authorized('member')
  @Mutation(() => Approval, {
    description:
      'Approve or refuse a call that waits for an operator. An approved call is sent once, and the agent answers the visitor.',
  })
  decideApproval(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('approved', () => Boolean, { description: 'Whether the call is sent.' }) approved: boolean,
  ) {
    return approvals.decideAsOperator(scope, id, approved);
  }

  @FieldResolver(() => Conversation, { nullable: true })
  conversation(@Ctx() scope: RequestScope, @Root() { conversationId, organizationId }: Approval) {
    return scope.within(organizationId).load(Conversation, conversationId);
  }

  @Authorized('public')
  @ListSize(approvals.MAX_SHOWN)
  @Query(() => [VisitorApproval], {
    nullable: true,
    description: 'The newest 50 approvals in a conversation of a visitor, oldest first. The origin of the page must be allowed.',
  })
  widgetApprovals(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Args(() => ConversationVisitor) { visitorId }: VisitorArgument,
    @Arg('conversationId', () => ID, { description: 'The conversation, or the chat id of the client.' }) conversationId: string,
  ) {
    return approvals.listOfVisitor(scope, publicSlug, visitorId, conversationId);
  }

  @Authorized('public')
  @Subscription(() => ReplyPart, {
    description:
      'Approve or refuse a call as its visitor, and stream the rest of the reply. Ends at once while other calls of the reply wait.',
    subscribe: ({ context, args }) =>
      decideWidgetApproval(context as RequestScope, args.publicSlug, args.visitorId, args.id, args.approved),
  })
  decideWidgetApproval(
    @Root() part: ReplyPart,
    @Arg('publicSlug', () => String) _publicSlug: string,
    @Args(() => ConversationVisitor) _visitor: VisitorArgument,
    @Arg('id', () => ID, { description: 'The approval.' }) _id: string,
    @Arg('approved', () => Boolean, { description: 'Whether the call is sent.' }) _approved: boolean,
  ): ReplyPart {
    return part;
  }
}
