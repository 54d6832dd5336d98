import { Arg, Args, Authorized, Ctx, FieldResolver, Float, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Idempotent } from '../../common/idempotency/idempotent.ts';
import { Organization, User } from '../../common/identity/entity.ts';
import * as members from '../../common/identity/members.ts';
import { ListSize } from '../../common/list-size.ts';
import type { RequestScope } from '../../common/scope.ts';
import { Deleted } from '../attributes/types.ts';
import * as organizations from './service.ts';
import { CreditEntriesArguments, CreditEntryPage, Member, NewOrganization, OrganizationChange } from './types.ts';

@Resolver(() => Organization)
export class OrganizationResolver {
  @Authorized('user')
  @ListSize(10)
  @Query(() => [Organization], { description: "Every organization of the key's user, by name." })
  organizations(@Ctx() scope: RequestScope) {
    return organizations.listOrganizations(scope);
  }

  @Authorized('member')
  @Query(() => Organization, { description: 'The organization the request is about.' })
  organization(@Ctx() scope: RequestScope) {
    return organizations.findOrganization(scope, scope.organizationId);
  }

  @Authorized('user')
  @Idempotent({ per: 'user' })
  @Mutation(() => Organization, {
    description: 'Create an organization with the caller as its owner, on the free plan. A user can own at most 20 organizations.',
  })
  createOrganization(@Ctx() scope: RequestScope, @Args(() => NewOrganization) input: NewOrganization) {
    return organizations.createOrganization(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => Organization, { description: 'Change the name or slug. A field that is not sent stays as it is.' })
  updateOrganization(@Ctx() scope: RequestScope, @Args(() => OrganizationChange) input: OrganizationChange) {
    return organizations.updateOrganization(scope, input);
  }

  @Authorized('admin')
  @Mutation(() => Member, { description: 'Give a member another role.' })
  updateMember(
    @Ctx() scope: RequestScope,
    @Arg('userId', () => ID) userId: string,
    @Arg('role', () => wordTypes.Role) role: Word<'Role'>,
  ) {
    return members.changeMember(scope, scope.caller.userId, userId, role);
  }

  @Authorized('admin')
  @Mutation(() => Deleted, { description: 'Remove a member from the organization.' })
  removeMember(@Ctx() scope: RequestScope, @Arg('userId', () => ID) userId: string) {
    return members.removeMember(scope, scope.caller.userId, userId);
  }

  @FieldResolver(() => wordTypes.Role, { description: "The role of the key's user." })
  role(@Ctx() scope: RequestScope, @Root() { id }: Organization) {
    return organizations.roleIn(scope, id);
  }

  @ListSize(100)
  @FieldResolver(() => [Member], { description: 'The members, longest first.' })
  members(@Ctx() scope: RequestScope, @Root() { id }: Organization) {
    return members.listMembers(scope.within(id));
  }

  @FieldResolver(() => Float, { description: 'The balance of credits.' })
  credits(@Root() { credits }: Organization) {
    return Number(credits);
  }

  @FieldResolver(() => CreditEntryPage, { description: 'The ledger of credits, newest first.' })
  creditEntries(
    @Ctx() scope: RequestScope,
    @Root() { id }: Organization,
    @Args(() => CreditEntriesArguments) page: CreditEntriesArguments,
  ) {
    return organizations.listCreditEntries(scope.within(id), page);
  }
}

@Resolver(() => User)
export class UserResolver {
  @Authorized('user')
  @Query(() => User, { description: "The key's user." })
  me(@Ctx() scope: RequestScope) {
    return scope.load(User, scope.caller.userId);
  }
}
