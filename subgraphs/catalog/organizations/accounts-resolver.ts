import { Arg, Args, Authorized, Ctx, Directive, Float, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { args, EMAIL, field, Id, list, output } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import {
  Access,
  accounts,
  admit,
  checkGrant,
  currentRole,
  Invitation,
  invitations,
  Organization,
  toolAccess,
} from '../../../platform/identity/index.ts';
import { ListSize, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { NullIsAnswer } from '../../../platform/subgraph/index.ts';
import type { Admission, Requirement, ToolAccess } from '../../../schema/request.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Deleted } from '../attributes/entity.ts';
import * as organizations from './service.ts';
import { AdmissionAnswer, ToolAccessAnswer } from './types.ts';

// Separate from `Organization`, because operators may not read other data of an organization.
@ObjectType({ description: 'The plan, modules, credits and storage quota of an organization.' })
class OrganizationAccount extends output({
  id: field(ID),
  slug: field(String),
  plan: field(enumTypes.Plan),
  modules: list(enumTypes.Module),
  credits: field(Float, 'Current balance.'),
  storageQuota: field(Float, {
    optional: true,
    description: 'Bytes that its data may take. Null if the quota of the plan applies.',
  }),
}) {}

@ObjectType({ description: 'One page of accounts.' })
class OrganizationAccountPage extends PageOf(OrganizationAccount, 'OrganizationAccountPage') {}

class AccountsArguments extends args(pageArguments(20), {
  search: field(String, { minLength: 1, maxLength: 64, nullable: true, description: 'Part of the slug, or the id.' }),
}) {}

class OrganizationAccountChange extends args({
  organization: field(String, { minLength: 1, maxLength: 64, description: 'Id or slug of the organization.' }),
  credits: field(Float, {
    min: -1_000_000_000,
    max: 1_000_000_000,
    nullable: true,
    description: 'Added to the balance. A negative amount is deducted.',
  }),
  reason: field(String, {
    minLength: 1,
    maxLength: 255,
    nullable: true,
    description: 'Shown to the organization in its credit ledger.',
  }),
  reference: field(String, {
    minLength: 1,
    maxLength: 100,
    nullable: true,
    description: 'Payment number. Credits with the same reference are added only once.',
  }),
  plan: field(enumTypes.Plan, { nullable: true }),
  modules: list(enumTypes.Module, { nullable: true, description: 'Replaces the current modules.' }),
  storageQuota: field(Float, {
    min: 0,
    max: 1e15,
    nullable: true,
    description: 'Bytes that its data may take. 0 restores the quota of the plan.',
  }),
}) {}

@Access('operator')
@Resolver(() => OrganizationAccount)
export class AccountResolver {
  @Query(() => OrganizationAccountPage, { description: 'The accounts of all organizations, sorted by slug.' })
  organizationAccounts(@Ctx() scope: RequestScope, @Args(() => AccountsArguments) request: AccountsArguments) {
    return accounts.listAccounts(scope, request);
  }

  @Mutation(() => OrganizationAccount, {
    description:
      'Change the credits, plan, modules or storage quota of any organization. Omitted fields stay unchanged. The service records every change.',
  })
  updateOrganizationAccount(@Ctx() scope: RequestScope, @Args(() => OrganizationAccountChange) change: OrganizationAccountChange) {
    const { keyId, email } = scope.caller;
    return accounts.updateAccount(scope, { name: email, keyId }, change);
  }
}

/** The gateway calls it before each request. Not part of the public API. */
@Access('public')
@Resolver()
export class AdmissionResolver {
  @Directive('@inaccessible')
  @Query(() => AdmissionAnswer)
  admission(
    @Ctx() scope: RequestScope,
    @Arg('access', () => String) access: Requirement['access'],
    @Arg('level', () => String, { nullable: true }) level?: Requirement['level'],
    @Arg('workspaces', () => Boolean, { nullable: true }) workspaces?: Requirement['workspaces'],
    @Arg('plan', () => String, { nullable: true }) plan?: Requirement['plan'],
    @Arg('gates', () => [String], { nullable: true }) gates?: Requirement['gates'],
    @Arg('counter', () => String, { nullable: true }) counter?: Requirement['counter'],
    @Arg('points', () => Int, { nullable: true }) points?: number | null,
  ): Promise<Admission> {
    return admit(scope, { access, level, workspaces, plan, gates, counter, points: points ?? undefined });
  }

  @Directive('@inaccessible')
  @Query(() => ToolAccessAnswer)
  toolAccess(
    @Ctx() scope: RequestScope,
    @Arg('access', () => String) access: Requirement['access'],
    @Arg('level', () => String, { nullable: true }) level?: Requirement['level'],
    @Arg('workspaces', () => Boolean, { nullable: true }) workspaces?: Requirement['workspaces'],
    @Arg('plan', () => String, { nullable: true }) plan?: Requirement['plan'],
    @Arg('gates', () => [String], { nullable: true }) gates?: Requirement['gates'],
  ): Promise<ToolAccess> {
    return toolAccess(scope, { access, level, workspaces, plan, gates });
  }
}

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
