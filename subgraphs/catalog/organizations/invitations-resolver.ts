import { Args, Authorized, Ctx, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { args, EMAIL, field, Id, output } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access, checkGrant, currentRole, Invitation, invitations, Organization } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { NullIsAnswer } from '../../../platform/subgraph/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Deleted } from '../attributes/entity.ts';
import * as organizations from './service.ts';

class NewInvitation extends args({
  email: field(String, { ...EMAIL, description: 'The user who may accept. Case is ignored.' }),
  role: field(enumTypes.Role, 'The role of the user after accepting. Only an owner can invite owners.'),
}) {}

@ObjectType({ description: 'A new invitation and its token.' })
class CreatedInvitation extends output({
  token: field(String, {
    nullable: true,
    description:
      'Send it to the invited user, in a link to `/invitation/<token>` of the dashboard. It is returned only once and works only once. Null in the response to a repeated `Idempotency-Key`.',
  }),
  invitation: field(Invitation),
  mailed: field(Boolean, 'Whether the link is mailed to the user.'),
}) {}

@ObjectType({ description: 'An open invitation, for the user who received its token.' })
class ReceivedInvitation extends output({
  organization: field(String, 'Name of the organization.'),
  email: field(String, 'The e-mail address of the user who may accept.'),
  role: field(enumTypes.Role),
  inviter: field(String, 'Name of the user who sent the invitation.'),
  expiresAt: field(Date),
}) {}

class Acceptance extends args({
  token: field(String, { minLength: 1, maxLength: 100 }),
}) {}

/** Throws `FORBIDDEN` when the caller may not grant the role. */
const requireGrant = async (scope: RequestScope, { role }: NewInvitation) =>
  checkGrant(await currentRole(scope, scope.caller.userId), role);

@Access('admin')
@Resolver(() => Invitation)
export class InvitationResolver {
  @ListSize(invitations.MOST_INVITATIONS)
  @Query(() => [Invitation], { description: 'The open invitations of the organization, newest first, at most 100.' })
  invitations(@Ctx() scope: RequestScope) {
    return invitations.listInvitations(scope);
  }

  @Idempotent({ shownOnce: ['token'], authorize: requireGrant })
  @Mutation(() => CreatedInvitation, {
    description:
      'Invite the user of an e-mail address, with or without an account. A second invitation of the same address replaces the first.',
  })
  inviteMember(@Ctx() scope: RequestScope, @Args(() => NewInvitation) input: NewInvitation) {
    return invitations.inviteMember(scope, scope.caller.userId, input);
  }

  @Mutation(() => Deleted, { description: 'Revoke an invitation. Its token stops working.' })
  revokeInvitation(@Ctx() scope: RequestScope, @Id() id: string) {
    return invitations.revokeInvitation(scope, scope.caller.userId, id);
  }

  @Authorized('public')
  @NullIsAnswer()
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
