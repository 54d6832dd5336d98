import type { EntityManager } from '@mikro-orm/postgresql';
import { Arg, Args, Authorized, Ctx, FieldResolver, Float, Mutation, Query, Resolver, Root } from 'type-graphql';
import { storageUse } from '../../../platform/credits/index.ts';
import { conflictIfTaken, lockName, query, readRows, sql } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import {
  Access,
  ApiKey,
  addMember,
  apiKeys,
  CreditEntry,
  checkSlug,
  invitations,
  members,
  Organization,
  User,
} from '../../../platform/identity/index.ts';
import { ListSize, listPage, type PageRequest, sizeOf } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Deleted } from '../attributes/entity.ts';
import { fileStorage } from '../uploads/service.ts';
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
    return readRows(scope, Organization, {
      where: { id: scope.caller.organizations.map(({ id }) => id) },
      orderBy: { name: 'asc', id: 'asc' },
    });
  }

  @Authorized('member')
  @Query(() => Organization, { description: 'The organization that the request names, or to which its key is bound.' })
  organization(@Ctx() scope: RequestScope) {
    return findOrganization(scope, scope.organizationId);
  }

  /**
   * Creates an organization on the free plan with the caller as its owner. Only the first one receives trial credits. Throws
   * `LIMIT_REACHED` if the caller owns 20 organizations.
   */
  @Authorized('user')
  @Idempotent({ per: 'user' })
  @Mutation(() => Organization, {
    description: 'Create an organization on the free plan with the caller as its owner. A user can own up to 20.',
  })
  async createOrganization(
    @Ctx() scope: RequestScope,
    @Args(() => NewOrganization) { name, slug }: NewOrganization,
  ): Promise<Organization> {
    checkSlug(slug);
    const { userId } = scope.caller;
    const creation = scope.write(async ({ em, services: { trialCredits } }) => {
      const { owned, trialUsed } = await foundingHistory(em, userId);
      if (owned >= LIMIT) throw fail('LIMIT_REACHED', `Organization limit reached. You can own up to ${LIMIT} organizations.`);
      const credits = trialUsed ? 0 : trialCredits;
      const created = em.create(Organization, { name, slug, credits: String(credits) });
      const { id: organizationId } = created;
      addMember(em, organizationId, userId, 'owner');
      if (credits > 0)
        em.create(CreditEntry, { organizationId, amount: credits, reason: 'Trial credits', reference: `trial:${userId}` });
      return created;
    });
    const organization = await creation.catch(conflictIfTaken(takenSlug(slug)));
    addMembership(scope, organization, 'owner');
    return organization;
  }

  /** Changes the name or slug; null and omitted fields stay unchanged. Throws `CONFLICT` if the slug is taken. */
  @Authorized('admin')
  @Mutation(() => Organization, { description: 'Change the name or slug of the organization. Omitted fields stay unchanged.' })
  async updateOrganization(
    @Ctx() { em, organizationId, services }: RequestScope,
    @Args(() => OrganizationChange) { name, slug }: OrganizationChange,
  ): Promise<Organization> {
    if (slug) checkSlug(slug);
    const organization = await em.findOneOrFail(Organization, organizationId);
    organization.name = name ?? organization.name;
    organization.slug = slug ?? organization.slug;
    await em.flush().catch(conflictIfTaken(takenSlug(organization.slug)));
    services.callers.forget();
    return organization;
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
    description:
      'Remove a member from the organization. Only an owner can remove owners. One owner must remain. The API keys of the user stay in `apiKeys`, and work again if the user becomes a member again; revoke them to prevent that.',
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
  role(@Ctx() scope: RequestScope, @Root() { id }: Organization): EnumValue<'Role'> {
    return scope.within(id).organization.role;
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
    return listCreditEntries(scope.within(id), page);
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
    return apiKeys.switchApiKey(scope, scope.caller.userId, id, false);
  }

  @Mutation(() => ApiKey, { description: 'Accept a disabled key again. Only an owner can enable the key of an owner.' })
  enableApiKey(@Ctx() scope: RequestScope, @Id() id: string) {
    return apiKeys.switchApiKey(scope, scope.caller.userId, id, true);
  }

  @Mutation(() => ApiKey, {
    description:
      'Replace the groups of MCP tools that a key may call. An empty list allows none. Only an owner can add groups to the key of an owner.',
  })
  updateApiKey(@Ctx() scope: RequestScope, @Args(() => ApiKeyChange) change: ApiKeyChange) {
    return apiKeys.setToolGroups(scope, scope.caller.userId, change);
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

/** Throws `NO_ACCESS` unless the caller is a member. */
export async function findOrganization(scope: RequestScope, id: string): Promise<Organization> {
  const { organizationId } = scope.within(id);
  return (await scope.load(Organization, organizationId))!;
}

/** Organizations share resources evenly, so a user must not multiply their share by creating many. */
const LIMIT = 20;

/** The number of owned organizations and whether trial credits were granted. Holds a lock on the user until the commit. */
async function foundingHistory(em: EntityManager, userId: string): Promise<{ owned: number; trialUsed: boolean }> {
  await lockName(em, `organizations of ${userId}`);
  const [history] = await query(
    em,
    sql<{ owned: number; trialUsed: boolean }>`
      select (select count(*)::int from identity.memberships where user_id = ${userId} and role = 'owner') as owned,
             exists (select 1 from identity.credit_entries where reference = ${`trial:${userId}`} and reference like 'trial:%') as "trialUsed"`,
  );
  return history!;
}

/** Accepts an invitation. Throws `NOT_FOUND` if the caller has no such invitation. */
export async function acceptInvitation(scope: RequestScope, token: string): Promise<Organization> {
  const { organization, role } = await invitations.acceptInvitation(scope, scope.caller, token);
  addMembership(scope, organization, role);
  return organization;
}

/** Adds the membership to the caller, who was loaded before it existed. */
function addMembership(
  { caller: { organizations }, services }: RequestScope,
  organization: Organization,
  role: EnumValue<'Role'>,
): void {
  services.callers.forget();
  const { id, slug, name, plan, modules } = organization;
  if (!organizations.some((each) => each.id === id)) organizations.push({ id, slug, name, role, plan, modules });
}

/** The credit ledger, newest first. */
const listCreditEntries = (scope: Scope, page: PageRequest) =>
  listPage(
    scope,
    CreditEntry,
    { columns: ['id', 'organizationId', 'amount', 'reason', 'reference', 'createdAt'], orderBy: { createdAt: 'desc', id: 'desc' } },
    page,
    sizeOf('credit_entries'),
  );

const takenSlug = (slug: string) => `The slug ${slug} is taken`;
