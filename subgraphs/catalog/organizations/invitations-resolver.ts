import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { checkGrant, currentRole, Invitation, invitations, Organization } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Deleted } from '../attributes/types.ts';
import { Acceptance, CreatedInvitation, NewInvitation, ReceivedInvitation } from './invitation-types.ts';
import * as organizations from './service.ts';

/** Throws `FORBIDDEN` when the caller may not grant the role. */
const requireGrant = async (scope: RequestScope, { role }: NewInvitation) =>
  checkGrant(await currentRole(scope, scope.caller.userId), role);

@Resolver(() => Invitation)
export class InvitationResolver {
  @Authorized('admin')
  @ListSize(invitations.MOST_INVITATIONS)
  @Query(() => [Invitation], { description: 'The open invitations of the organization, newest first, at most 100.' })
  invitations(@Ctx() scope: RequestScope) {
    return invitations.listInvitations(scope);
  }

  @Authorized('admin')
  @Idempotent({ shownOnce: ['token'], authorize: requireGrant })
  @Mutation(() => CreatedInvitation, {
    description:
      'Invite the user of an e-mail address, with or without an account. A second invitation of the same address replaces the first.',
  })
  inviteMember(@Ctx() scope: RequestScope, @Args(() => NewInvitation) input: NewInvitation) {
    return invitations.inviteMember(scope, scope.caller.userId, input);
  }

  @Authorized('admin')
  @Mutation(() => Deleted, { description: 'Revoke an invitation. Its token stops working.' })
  revokeInvitation(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return invitations.revokeInvitation(scope, scope.caller.userId, id);
  }

  @Authorized('public')
  @Query(() => ReceivedInvitation, { nullable: true, description: 'The open invitation with this token, or null.' })
  invitation(@Ctx() scope: RequestScope, @Args(() => Acceptance) { token }: Acceptance) {
    return invitations.findByToken(scope, token);
  }

  @Authorized('user')
  @Mutation(() => Organization, {
    description: "Join the organization that invited the e-mail address of the key's user.",
  })
  acceptInvitation(@Ctx() scope: RequestScope, @Args(() => Acceptance) { token }: Acceptance) {
    return organizations.acceptInvitation(scope, token);
  }
}
