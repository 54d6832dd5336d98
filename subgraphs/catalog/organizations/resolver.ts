import { Arg, Args, Authorized, Ctx, FieldResolver, Float, Mutation, Query, Resolver, Root } from 'type-graphql';
import { storageUse } from '../../../platform/credits/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access, ApiKey, apiKeys, members, Organization, User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Deleted } from '../attributes/entity.ts';
import { fileStorage } from '../uploads/service.ts';
import * as organizations from './service.ts';
import {
  ApiKeyChange,
  CreatedApiKey,
  CreditEntriesArguments,
  CreditEntryPage,
  Member,
  NewApiKey,
  NewOrganization,
  OrganizationChange,
  OrganizationStorage,
  UserChange,
} from './types.ts';

@Resolver(() => Organization)
export class OrganizationResolver {
  @Authorized('user')
  @ListSize(10)
  @Query(() => [Organization], { description: "All organizations of the key's user, sorted by name." })
  organizations(@Ctx() scope: RequestScope) {
    return organizations.listOrganizations(scope);
  }

  @Authorized('member')
  @Query(() => Organization, { description: 'The organization that the request names, or to which its key is bound.' })
  organization(@Ctx() scope: RequestScope) {
    return organizations.findOrganization(scope, scope.organizationId);
  }

  @Authorized('user')
  @Idempotent({ per: 'user' })
  @Mutation(() => Organization, {
    description: 'Create an organization on the free plan with the caller as its owner. A user can own up to 20.',
  })
  createOrganization(@Ctx() scope: RequestScope, @Args(() => NewOrganization) input: NewOrganization) {
    return organizations.createOrganization(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => Organization, { description: 'Change the name or slug of the organization. Omitted fields stay unchanged.' })
  updateOrganization(@Ctx() scope: RequestScope, @Args(() => OrganizationChange) input: OrganizationChange) {
    return organizations.updateOrganization(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => Member, {
    description: 'Change the role of a member. Only an owner can appoint or demote owners. One owner must remain.',
  })
  updateMember(
    @Ctx() scope: RequestScope,
    @Id('userId') userId: string,
    @Arg('role', () => enumTypes.Role) role: EnumValue<'Role'>,
  ) {
    return members.changeMember(scope, scope.caller.userId, userId, role);
  }

  @Authorized('admin')
  @Mutation(() => Deleted, {
    description: 'Remove a member from the organization. Only an owner can remove owners. One owner must remain.',
  })
  removeMember(@Ctx() scope: RequestScope, @Id('userId') userId: string) {
    return members.removeMember(scope, scope.caller.userId, userId);
  }

  @Authorized('member')
  @Mutation(() => Deleted, {
    description: 'Leave the organization. Its last owner cannot leave. Returns the id of the organization.',
  })
  leaveOrganization(@Ctx() scope: RequestScope) {
    return members.leave(scope, scope.caller.userId);
  }

  @FieldResolver(() => enumTypes.Role, { description: "The role of the key's user." })
  role(@Ctx() scope: RequestScope, @Root() { id }: Organization) {
    return organizations.roleIn(scope, id);
  }

  @ListSize(100)
  @FieldResolver(() => [Member], { description: 'Sorted by time of joining, oldest first.' })
  members(@Ctx() scope: RequestScope, @Root() { id }: Organization) {
    return members.listMembers(scope.within(id));
  }

  @FieldResolver(() => Float, { description: 'Current balance.' })
  credits(@Root() { credits }: Organization) {
    return Number(credits);
  }

  @FieldResolver(() => OrganizationStorage, { description: 'The storage that the organization takes, and its quota.' })
  async storage(@Ctx() scope: RequestScope, @Root() { id }: Organization) {
    const within = scope.within(id);
    return { ...(await storageUse(within)), files: await fileStorage(within) };
  }

  @FieldResolver(() => CreditEntryPage, { description: 'The credit ledger, newest first.' })
  creditEntries(
    @Ctx() scope: RequestScope,
    @Root() { id }: Organization,
    @Args(() => CreditEntriesArguments) page: CreditEntriesArguments,
  ) {
    return organizations.listCreditEntries(scope.within(id), page);
  }
}

@Access('user')
@Resolver(() => User)
export class UserResolver {
  @Query(() => User, { description: "The key's user." })
  me(@Ctx() scope: RequestScope) {
    return scope.load(User, scope.caller.userId);
  }

  @Mutation(() => User, { description: "Change the name of the caller's user, which colleagues see." })
  updateMe(@Ctx() scope: RequestScope, @Args(() => UserChange) { name }: UserChange) {
    return members.renameUser(scope, scope.caller.userId, name);
  }
}

@Access('admin')
@Resolver(() => ApiKey)
export class KeyResolver {
  @ListSize(apiKeys.MOST_API_KEYS)
  @Query(() => [ApiKey], { description: 'The API keys created in the organization, newest first.' })
  apiKeys(@Ctx() scope: RequestScope) {
    return apiKeys.listApiKeys(scope);
  }

  @Idempotent({ shownOnce: ['key'] })
  @Mutation(() => CreatedApiKey, {
    description: 'Create an API key for the calling user, bound to the organization. Its value is returned only once.',
  })
  createApiKey(@Ctx() scope: RequestScope, @Args(() => NewApiKey) input: NewApiKey) {
    return apiKeys.createApiKey(scope, { ...input, userId: scope.caller.userId });
  }

  @Mutation(() => ApiKey, { description: 'Reject the key until it is enabled again.' })
  disableApiKey(@Ctx() scope: RequestScope, @Id() id: string) {
    return apiKeys.switchApiKey(scope, id, false);
  }

  @Mutation(() => ApiKey, { description: 'Accept a disabled key again.' })
  enableApiKey(@Ctx() scope: RequestScope, @Id() id: string) {
    return apiKeys.switchApiKey(scope, id, true);
  }

  @Mutation(() => ApiKey, { description: 'Replace the groups of MCP tools that a key may call. An empty list allows none.' })
  updateApiKey(@Ctx() scope: RequestScope, @Args(() => ApiKeyChange) { id, toolGroups }: ApiKeyChange) {
    return apiKeys.setToolGroups(scope, id, toolGroups);
  }

  @Mutation(() => Deleted, { description: 'Revoke a key permanently.' })
  revokeApiKey(@Ctx() scope: RequestScope, @Id() id: string) {
    return apiKeys.revokeApiKey(scope, id);
  }

  @FieldResolver(() => User, { nullable: true })
  user(@Ctx() scope: RequestScope, @Root() { userId }: ApiKey) {
    return scope.load(User, userId);
  }
}
