import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { accounts } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { AccountsArguments, OrganizationAccount, OrganizationAccountChange, OrganizationAccountPage } from './account-types.ts';

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
