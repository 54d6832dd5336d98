import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { RecentList } from '../recent-arguments.ts';
import { agentNameOf } from '../recent-list.ts';
import {
  CustomForm,
  CustomFormChange,
  CustomFormSubmission,
  DeletedCustomForm,
  FormSubmissionsArguments,
  FormSummary,
  NewCustomForm,
} from './entity.ts';
import * as forms from './service.ts';

@Access('admin')
@Resolver(() => CustomForm)
export class CustomFormResolver {
  @Authorized('member')
  @ListSize(100)
  @Query(() => [FormSummary], {
    description: 'The enabled custom forms, sorted by name. Forms of several agents that share a name appear once.',
  })
  customForms(@Ctx() scope: RequestScope, @Arg('agentId', () => ID, { nullable: true }) agentId?: string) {
    return forms.listForms(scope, agentId);
  }

  @ListSize(20)
  @Query(() => [CustomForm], { nullable: true, description: 'All custom forms of an agent, sorted by name.' })
  agentForms(@Ctx() scope: RequestScope, @Id('agentId') agentId: string) {
    return forms.listAgentForms(scope, agentId);
  }

  @Idempotent()
  @Mutation(() => CustomForm, { description: 'Create a custom form. An agent can have up to 50.' })
  createCustomForm(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('input', () => NewCustomForm) input: NewCustomForm,
  ) {
    return forms.createForm(scope, agentId, input);
  }

  @Mutation(() => CustomForm, { description: 'Change a custom form. Submissions stay as they were received.' })
  updateCustomForm(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => CustomFormChange) input: CustomFormChange) {
    return forms.updateForm(scope, id, input);
  }

  @Mutation(() => DeletedCustomForm, { description: 'Delete a custom form. Its submissions stay.' })
  deleteCustomForm(@Ctx() scope: RequestScope, @Id() id: string) {
    return forms.deleteForm(scope, id);
  }

  @Authorized('member')
  @RecentList()
  @Query(() => [CustomFormSubmission], { description: 'The submissions of custom forms, newest first.' })
  customFormSubmissions(@Ctx() scope: RequestScope, @Args(() => FormSubmissionsArguments) request: FormSubmissionsArguments) {
    return forms.listSubmissions(scope, request);
  }
}

@Resolver(() => CustomFormSubmission)
export class CustomFormSubmissionResolver {
  @FieldResolver(() => String)
  agentName(@Ctx() scope: RequestScope, @Root() submission: CustomFormSubmission) {
    return agentNameOf(scope, submission);
  }

  @FieldResolver(() => GraphQLJSONObject, {
    description: 'The labels of the fields by field name, as the form has them now; empty for a deleted form.',
  })
  labels(@Ctx() scope: RequestScope, @Root() { id }: CustomFormSubmission) {
    return forms.labelsOf(scope, id);
  }
}
