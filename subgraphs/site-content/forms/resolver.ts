import { Arg, Args, Authorized, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { requireEditorOfSite } from '../content/access.ts';
import { DeletedContent, EDITORS, SiteListArguments, VERSION } from '../content/entity.ts';
import { PageArguments } from '../site-list.ts';
import { Site } from '../sites/entity.ts';
import {
  NewSiteForm,
  SiteForm,
  SiteFormChange,
  SiteFormList,
  SiteFormSubmission,
  SiteFormSubmissionList,
  SiteFormSubmissionsArguments,
  SubmissionOfVisitor,
  SubmissionReceipt,
} from './entity.ts';
import * as forms from './service.ts';
import { deleteSubmission, findSubmission, listSubmissions, submitForm } from './service.ts';

@Access('member')
@Resolver(() => SiteForm)
export class SiteFormResolver {
  @Query(() => SiteFormList, { nullable: true, description: 'The forms of a site, sorted by name.' })
  siteForms(@Ctx() scope: RequestScope, @Args(() => SiteListArguments) request: SiteListArguments) {
    return forms.listForms(scope, request);
  }

  @Query(() => SiteForm, { nullable: true, description: 'One form of a site.' })
  siteForm(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id() id: string) {
    return forms.findForm(scope, siteId, id);
  }

  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => SiteForm, { description: `Create a form. ${EDITORS}` })
  createSiteForm(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Arg('input', () => NewSiteForm) input: NewSiteForm) {
    return forms.createForm(scope, siteId, input);
  }

  @Mutation(() => SiteForm, { description: `Change a form. ${EDITORS}` })
  updateSiteForm(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => SiteFormChange) input: SiteFormChange,
  ) {
    return forms.updateForm(scope, id, version, input);
  }

  @Mutation(() => DeletedContent, { description: `Delete a form with its submissions. ${EDITORS}` })
  deleteSiteForm(@Ctx() scope: RequestScope, @Id() id: string) {
    return forms.deleteForm(scope, id);
  }

  @Query(() => SiteFormSubmissionList, { nullable: true, description: 'The submissions of a form, newest first.' })
  siteFormSubmissions(@Ctx() scope: RequestScope, @Args(() => SiteFormSubmissionsArguments) request: SiteFormSubmissionsArguments) {
    return listSubmissions(scope, request);
  }

  @Query(() => SiteFormSubmission, { nullable: true, description: 'One submission of a form.' })
  siteFormSubmission(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id('formId') formId: string, @Id() id: string) {
    return findSubmission(scope, siteId, formId, id);
  }

  @Authorized('public')
  @Idempotent({ per: 'form' })
  @Mutation(() => SubmissionReceipt, {
    description: 'Store a form that a visitor of a published site filled in, and emit `form.submission.created`.',
  })
  submitSiteForm(@Ctx() scope: RequestScope, @Args(() => SubmissionOfVisitor) input: SubmissionOfVisitor) {
    return submitForm(scope, input);
  }

  @Mutation(() => DeletedContent, { description: `Delete a submission of a form. ${EDITORS}` })
  deleteSiteFormSubmission(@Ctx() scope: RequestScope, @Id() id: string) {
    return deleteSubmission(scope, id);
  }
}

@Resolver(() => Site)
export class SiteFormsResolver {
  @FieldResolver(() => SiteFormList, { description: 'Sorted by name.' })
  forms(@Ctx() scope: RequestScope, @Root() site: Site, @Args(() => PageArguments) page: PageArguments) {
    return forms.listFormsOf(scope.within(site.organizationId), site, page);
  }
}
