import { Args, ArgsType, Authorized, Ctx, Field, Float, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { accounts } from '../../../platform/identity/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

// Separate from `Organization`, because operators may not read other data of an organization.
@ObjectType({ description: 'The plan, modules, credits and storage quota of an organization.' })
class OrganizationAccount {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  slug!: string;

  @Field(() => enumTypes.Plan)
  plan!: EnumValue<'Plan'>;

  @Field(() => [enumTypes.Module])
  modules!: EnumValue<'Module'>[];

  @Field(() => Float, { description: 'Current balance.' })
  credits!: number;

  @Field(() => Float, { nullable: true, description: 'Bytes that its data may take. Null if the quota of the plan applies.' })
  storageQuota?: number | null;
}

@ObjectType({ description: 'One page of accounts.' })
class OrganizationAccountPage extends PageOf(OrganizationAccount, 'OrganizationAccountPage') {}

@ArgsType()
class AccountsArguments extends pageArguments(20) {
  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String, { nullable: true, description: 'Part of the slug, or the id.' })
  search?: string;
}

@ArgsType()
class OrganizationAccountChange {
  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String, { description: 'Id or slug of the organization.' })
  organization!: string;

  @Limited({ min: -1_000_000_000, max: 1_000_000_000 })
  @Field(() => Float, { nullable: true, description: 'Added to the balance. A negative amount is deducted.' })
  credits?: number;

  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'Shown to the organization in its credit ledger.' })
  reason?: string;

  @Limited({ minLength: 1, maxLength: 100 })
  @Field(() => String, { nullable: true, description: 'Payment number. Credits with the same reference are added only once.' })
  reference?: string;

  @Field(() => enumTypes.Plan, { nullable: true })
  plan?: EnumValue<'Plan'>;

  @Field(() => [enumTypes.Module], { nullable: true, description: 'Replaces the current modules.' })
  modules?: EnumValue<'Module'>[];

  @Limited({ min: 0, max: 1e15 })
  @Field(() => Float, { nullable: true, description: 'Bytes that its data may take. 0 restores the quota of the plan.' })
  storageQuota?: number;
}

@Resolver(() => OrganizationAccount)
export class AccountResolver {
  @Authorized('operator')
  @Query(() => OrganizationAccountPage, { description: 'The accounts of all organizations, sorted by slug.' })
  organizationAccounts(@Ctx() scope: RequestScope, @Args(() => AccountsArguments) request: AccountsArguments) {
    return accounts.listAccounts(scope, request);
  }

  @Authorized('operator')
  @Mutation(() => OrganizationAccount, {
    description:
      'Change the credits, plan, modules or storage quota of any organization. Omitted fields stay unchanged. The service records every change.',
  })
  updateOrganizationAccount(@Ctx() scope: RequestScope, @Args(() => OrganizationAccountChange) change: OrganizationAccountChange) {
    const { keyId, email } = scope.caller;
    return accounts.updateAccount(scope, { name: email, keyId }, change);
  }
}
