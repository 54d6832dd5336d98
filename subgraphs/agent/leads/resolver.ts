import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Contact } from '../contacts/entity.ts';
import { contactOf } from '../contacts/service.ts';
import { RecentList } from '../recent-arguments.ts';
import { agentNameOf } from '../recent-list.ts';
import { Lead, LeadsArguments, NewLead } from './entity.ts';
import * as leads from './service.ts';

@Access('member')
@Resolver(() => Lead)
export class LeadResolver {
  @RecentList()
  @Query(() => [Lead], { description: 'The leads of the organization, newest first.' })
  leads(@Ctx() scope: RequestScope, @Args(() => LeadsArguments) request: LeadsArguments) {
    return leads.listLeads(scope, request);
  }

  @Idempotent()
  @Mutation(() => Lead, { description: 'Create a lead and emit `lead.created`.' })
  createLead(@Ctx() scope: RequestScope, @Arg('input', () => NewLead) input: NewLead) {
    return leads.createLead(scope, input);
  }

  @FieldResolver(() => String)
  agentName(@Ctx() scope: RequestScope, @Root() record: Lead) {
    return agentNameOf(scope, record);
  }

  @FieldResolver(() => Contact, { nullable: true })
  contact(@Ctx() scope: RequestScope, @Root() { contactId }: Lead) {
    return contactOf(scope, contactId);
  }
}
