import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import * as accounts from '../../common/identity/accounts.ts';
import type { RequestScope } from '../../common/scope.ts';
import { AccountsArguments, OrganizationAccount, OrganizationAccountChange, OrganizationAccountPage } from './account-types.ts';

@Resolver(() => OrganizationAccount)
export class AccountResolver {
  @Authorized('operator')
  @Query(() => OrganizationAccountPage, { description: "Accounts of all organizations, by slug. Needs an operator's key." })
  organizationAccounts(@Ctx() scope: RequestScope, @Args(() => AccountsArguments) request: AccountsArguments) {
    return accounts.listAccounts(scope, request);
  }

  @Authorized('operator')
  @Mutation(() => OrganizationAccount, {
    description:
      "Change the credits, plan and modules of any organization; what is not sent stays. Each change is recorded. Needs an operator's key.",
  })
  updateOrganizationAccount(@Ctx() scope: RequestScope, @Args(() => OrganizationAccountChange) change: OrganizationAccountChange) {
    const { keyId, email } = scope.caller;
    return accounts.updateAccount(scope, { name: email, keyId }, change);
  }
}
