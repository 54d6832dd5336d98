import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { CannedReply, CannedReplyArguments, DeletedCannedReply } from './entity.ts';
import * as replies from './service.ts';

@Access('member')
@Resolver(() => CannedReply)
export class CannedReplyResolver {
  @ListSize(50)
  @Query(() => [CannedReply], { description: 'All canned replies of the organization, sorted by name.' })
  cannedReplies(@Ctx() scope: RequestScope) {
    return replies.listCannedReplies(scope);
  }

  @Idempotent()
  @Mutation(() => CannedReply, { description: 'Create a canned reply. An organization can have up to 200.' })
  createCannedReply(@Ctx() scope: RequestScope, @Args(() => CannedReplyArguments) reply: CannedReplyArguments) {
    return replies.createCannedReply(scope, reply);
  }

  @Mutation(() => CannedReply, { description: 'Replace the name and the text of a canned reply.' })
  updateCannedReply(@Ctx() scope: RequestScope, @Id() id: string, @Args(() => CannedReplyArguments) reply: CannedReplyArguments) {
    return replies.updateCannedReply(scope, id, reply);
  }

  @Mutation(() => DeletedCannedReply, { description: 'Delete a canned reply. Messages with its text stay.' })
  deleteCannedReply(@Ctx() scope: RequestScope, @Id() id: string) {
    return replies.deleteCannedReply(scope, id);
  }
}
