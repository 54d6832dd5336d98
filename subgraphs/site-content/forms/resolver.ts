import { Arg, Args, Authorized, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { clock, isId, readRows } from '../../../platform/database/index.ts';
import { checkFields, checkValues, Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { refuseBeyond } from '../../../platform/rate-limit/index.ts';
import { detached, lockContent, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { networkOf } from '../../../schema/request.ts';
import { isReadable, readableSite, requireEditorOfSite } from '../content/access.ts';
import { deleteRecord, editRecord, editSite, emitEvent, flushUnique, pick, startVersion, withEditSlot } from '../content/edit.ts';
import { DeletedContent, EDITORS, RECORD_COLUMNS, SiteListArguments, VERSION } from '../content/entity.ts';
import { SiteDomain } from '../domains/resolver.ts';
import { Page } from '../pages/entity.ts';
import { type ListSource, list, nestedList, PageArguments } from '../site-list.ts';
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

@Access('member')
@Resolver(() => SiteForm)
export class SiteFormResolver {
  @Query(() => SiteFormList, { nullable: true, description: 'The forms of a site, sorted by name.' })
  async siteForms(@Ctx() scope: RequestScope, @Args(() => SiteListArguments) { siteId, ...page }: SiteListArguments) {
    const site = await readableSite(scope, siteId);
    return list(scope, FORMS, site.id, page);
  }

  @Query(() => SiteForm, { nullable: true, description: 'One form of a site.' })
  siteForm(@Ctx() scope: RequestScope, @Id('siteId') siteId: string, @Id() id: string) {
    return findForm(scope, siteId, id);
  }

  /** Throws `CONFLICT` for a taken name. */
  @Idempotent({ prepares: true, authorize: requireEditorOfSite })
  @Mutation(() => SiteForm, { description: `Create a form. ${EDITORS}` })
  createSiteForm(
    @Ctx() scope: RequestScope,
    @Id('siteId') siteId: string,
    @Arg('input', () => NewSiteForm) { name, fields }: NewSiteForm,
  ): Promise<SiteForm> {
    checkFields(fields);
    return editSite(scope, siteId, async (inner, site) => {
      const { organizationId } = inner;
      const form = inner.em.create(SiteForm, { organizationId, siteId: site.id, name, fields });
      await flushUnique(inner, taken(name));
      return form;
    });
  }

  /** Change a form. Submissions stay as they were received. Throws `CONFLICT` for another version or a taken name. */
  @Mutation(() => SiteForm, { description: `Change a form. ${EDITORS}` })
  updateSiteForm(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('version', () => Int, { description: VERSION }) version: number,
    @Arg('input', () => SiteFormChange) input: SiteFormChange,
  ): Promise<SiteForm> {
    if (input.fields) checkFields(input.fields);
    return editRecord(scope, SiteForm, 'Form', id, async (inner, form) => {
      startVersion(form, version, input);
      form.name = input.name ?? form.name;
      form.fields = input.fields ?? form.fields;
      await flushUnique(inner, taken(form.name));
      return form;
    });
  }

  @Mutation(() => DeletedContent, { description: `Delete a form with its submissions. ${EDITORS}` })
  deleteSiteForm(@Ctx() scope: RequestScope, @Id() id: string) {
    return editRecord(scope, SiteForm, 'Form', id, (inner, form) => deleteRecord(inner, SiteForm, form));
  }

  @Query(() => SiteFormSubmissionList, { nullable: true, description: 'The submissions of a form, newest first.' })
  async siteFormSubmissions(
    @Ctx() scope: RequestScope,
    @Args(() => SiteFormSubmissionsArguments) { siteId, formId, ...page }: SiteFormSubmissionsArguments,
  ) {
    await readableSite(scope, siteId);
    const form = await findForm(scope, siteId, formId);
    return list(scope, SUBMISSIONS, form.id, page);
  }

  /** Throws `NOT_FOUND`, also for a submission of another form. */
  @Query(() => SiteFormSubmission, { nullable: true, description: 'One submission of a form.' })
  async siteFormSubmission(
    @Ctx() scope: RequestScope,
    @Id('siteId') siteId: string,
    @Id('formId') formId: string,
    @Id() id: string,
  ) {
    const form = await findForm(scope, siteId, formId);
    const where = { id, formId: form.id };
    const [submission] = isId(id) ? await readRows(scope, SiteFormSubmission, { columns: COLUMNS, where }) : [];
    if (submission) return submission;
    throw fail('NOT_FOUND', 'Submission not found');
  }

  @Authorized('public')
  @Idempotent({ per: 'form' })
  @Mutation(() => SubmissionReceipt, {
    description: 'Store a form that a visitor of a published site filled in, and emit `form.submission.created`.',
  })
  submitSiteForm(@Ctx() scope: RequestScope, @Args(() => SubmissionOfVisitor) input: SubmissionOfVisitor) {
    return submitForm(scope, input);
  }

  /** Throws `NOT_FOUND`. */
  @Mutation(() => DeletedContent, { description: `Delete a submission of a form. ${EDITORS}` })
  deleteSiteFormSubmission(@Ctx() scope: RequestScope, @Id() id: string) {
    return editRecord(scope, SiteFormSubmission, 'Submission', id, (inner, submission) =>
      deleteRecord(inner, SiteFormSubmission, submission),
    );
  }
}

@Resolver(() => Site)
export class SiteFormsResolver {
  @FieldResolver(() => SiteFormList, { description: 'Sorted by name.' })
  forms(@Ctx() scope: RequestScope, @Root() site: Site, @Args(() => PageArguments) page: PageArguments) {
    return listFormsOf(scope.within(site.organizationId), site, page);
  }
}

const FORMS: ListSource<SiteForm> = {
  name: 'forms',
  entity: SiteForm,
  parent: 'siteId',
  rows: { columns: [...RECORD_COLUMNS, 'name', 'fields'], ordering: 'r.name, r.id' },
};

const listFormsOf = (scope: RequestScope, site: Site, page: PageArguments) => nestedList(scope, FORMS, site.id, page);

/** Throws `NOT_FOUND`, also for a form of another site. */
async function findForm(scope: RequestScope, siteId: string, id: string): Promise<SiteForm> {
  const [form] = isId(siteId) && isId(id) ? await readRows(scope, SiteForm, { ...FORMS.rows, where: { id, siteId } }) : [];
  if (form && (await isReadable(scope, form))) return form;
  throw fail('NOT_FOUND', 'Form not found');
}

const taken = (name: string) => `A form with the name ${name} already exists in the site.`;

const COLUMNS = ['id', 'organizationId', 'siteId', 'formId', 'pageId', 'values', 'submittedAt'] as const;

const SUBMISSIONS: ListSource<SiteFormSubmission> = {
  name: 'submissions',
  entity: SiteFormSubmission,
  parent: 'formId',
  rows: { columns: COLUMNS, ordering: 'r.submitted_at desc, r.id desc' },
};

/**
 * Store a form that a visitor filled in. Needs no key: the page must come from the domain of the site. Throws `NOT_FOUND` unless the site
 * is published, `FORBIDDEN` for another origin, `RATE_LIMITED`, and `INVALID_INPUT` for values that the fields reject.
 */
async function submitForm(scope: RequestScope, given: SubmissionOfVisitor): Promise<SubmissionReceipt> {
  const { services, request } = scope;
  refuseBeyond(await services.chatLimits.address.count(networkOf(request.headers['x-client-address'])), 'submissions');
  const site = isId(given.siteId) ? await publishedSite(scope, given.siteId) : null;
  if (!site || !isId(given.formId)) throw fail('NOT_FOUND', 'Form not found');
  const visitor = detached({ services, organizationId: site.organizationId });
  const form = await requireForm(visitor, site, given.formId);
  await requireOrigin(scope, visitor, site);
  const { organizationId } = site;
  return withEditSlot({ organizationId, signal: scope.signal }, () =>
    scope.writeWithin(visitor, [form.id], async (inner) => {
      const { id, submittedAt } = await insertSubmission(inner, site, given);
      return { id, submittedAt };
    }),
  );
}

async function insertSubmission(scope: Scope, site: Site, given: SubmissionOfVisitor): Promise<SubmissionReceipt> {
  const { em, organizationId } = scope;
  await lockContent(scope);
  const form = await requireForm(scope, site, given.formId);
  const pageId = given.pageId ?? null;
  if (pageId && !(isId(pageId) && (await em.count(Page, { id: pageId, siteId: site.id }))))
    throw fail('NOT_FOUND', 'Page not found');
  const values = checkValues(form.fields, given.values);
  // Confirm it with an id of the usual form, so that a robot cannot tell the difference.
  if (given.honeypot) return { id: uuid(), submittedAt: clock.now() };
  const submission = em.create(SiteFormSubmission, {
    organizationId,
    siteId: site.id,
    formId: form.id,
    pageId: pageId?.toLowerCase() ?? null,
    values,
  });
  await em.flush();
  const data = { ...pick(submission, ['id', 'formId', 'values', 'submittedAt', 'pageId']), siteId: site.id, formName: form.name };
  await emitEvent(scope, 'form.submission.created', site.workspaceId, data);
  return submission;
}

async function requireForm({ em }: Scope, site: Site, id: string): Promise<SiteForm> {
  const form = await em.findOne(SiteForm, { id, siteId: site.id }, { refresh: true });
  if (!form) throw fail('NOT_FOUND', 'Form not found');
  return form;
}

/** Visitors have no organization, so the id alone identifies the site. */
const publishedSite = ({ services }: RequestScope, id: string): Promise<Site | null> =>
  services.orm.em.fork().findOne(Site, { id, status: 'published' }, { filters: { organization: false } });

async function requireOrigin({ request, services }: RequestScope, { em }: Scope, site: Site): Promise<void> {
  const { origin } = request.headers;
  if (origin !== undefined && services.dashboardOrigins.includes(origin)) return;
  const domain = await em.findOne(SiteDomain, { siteId: site.id });
  if (domain?.domain && domain.verifiedAt && origin === `https://${domain.domain}`) return;
  throw fail('FORBIDDEN', 'The origin of this page is not the domain of the site.');
}
