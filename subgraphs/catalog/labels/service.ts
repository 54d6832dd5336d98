import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { requireBalance } from '../../../platform/credits/index.ts';
import { clock, countRows, query, sql } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { listPage, type PageRequest } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { chooseAttributes } from '../attributes/service.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { createJob, findJob } from '../jobs/service.ts';
import { requireFiles } from '../uploads/service.ts';
import { Brand, Category, type Label, type LabelSubject } from './entity.ts';
import { readFilePage } from './label-file.ts';
import { rowItems, sameName, subjects } from './subjects.ts';
import {
  BrandHistoryArguments,
  BrandName,
  CategoryHistoryArguments,
  CategoryName,
  CreatedBrand,
  CreatedCategory,
  FilePage,
  LabelHistoryPage,
  LabelSlug,
  NewBrandEnrichmentJob,
  type NewLabelJob,
  NewProductCategoryEnrichmentJob,
} from './types.ts';

@Access('member')
@Resolver(() => Category)
export class CategoryResolver {
  @Query(() => Boolean, { description: 'Whether a category of this name exists.' })
  categoryExists(@Ctx() scope: RequestScope, @Args(() => CategoryName) { name }: CategoryName) {
    return labelExists(scope, 'category', name);
  }

  @Idempotent()
  @Mutation(() => CreatedCategory, { description: 'Create a category, or return the existing one of this name.' })
  async createCategory(
    @Ctx() scope: RequestScope,
    @Args(() => CategoryName) { name }: CategoryName,
    @Args(() => LabelSlug) { slug }: LabelSlug,
  ): Promise<CreatedCategory> {
    const { label, created } = await createLabel(scope, 'category', { name, slug });
    return { category: label, created };
  }

  @Query(() => LabelHistoryPage, { description: 'The enrichments of a category, newest first. Empty for an unknown name.' })
  categoryEnrichmentHistory(
    @Ctx() scope: RequestScope,
    @Args(() => CategoryName) { name }: CategoryName,
    @Args(() => CategoryHistoryArguments) page: CategoryHistoryArguments,
  ) {
    return historyOf(scope, 'category', name, page);
  }

  @Idempotent()
  @Mutation(() => Job, {
    description: 'Start a job that fills in attributes of categories. Only one such job can be open at a time.',
  })
  createProductCategoryEnrichmentJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductCategoryEnrichmentJob) input: NewProductCategoryEnrichmentJob,
  ) {
    return createLabelJob(scope, 'category', input);
  }
}

@Access('member')
@Resolver(() => Brand)
export class BrandResolver {
  @Query(() => Boolean, { description: 'Whether a brand of this name exists.' })
  brandExists(@Ctx() scope: RequestScope, @Args(() => BrandName) { name }: BrandName) {
    return labelExists(scope, 'brand', name);
  }

  @Idempotent()
  @Mutation(() => CreatedBrand, { description: 'Create a brand, or return the existing one of this name.' })
  async createBrand(
    @Ctx() scope: RequestScope,
    @Args(() => BrandName) { name }: BrandName,
    @Args(() => LabelSlug) { slug }: LabelSlug,
  ): Promise<CreatedBrand> {
    const { label, created } = await createLabel(scope, 'brand', { name, slug });
    return { brand: label, created };
  }

  @Query(() => LabelHistoryPage, { description: 'The enrichments of a brand, newest first. Empty for an unknown name.' })
  brandEnrichmentHistory(
    @Ctx() scope: RequestScope,
    @Args(() => BrandName) { name }: BrandName,
    @Args(() => BrandHistoryArguments) page: BrandHistoryArguments,
  ) {
    return historyOf(scope, 'brand', name, page);
  }

  @Idempotent()
  @Mutation(() => Job, { description: 'Start a job that fills in attributes of brands. Only one such job can be open at a time.' })
  createBrandEnrichmentJob(@Ctx() scope: RequestScope, @Arg('input', () => NewBrandEnrichmentJob) input: NewBrandEnrichmentJob) {
    return createLabelJob(scope, 'brand', input);
  }
}

@Resolver()
export class EnrichmentFileResolver {
  @Authorized('member')
  @Query(() => FilePage, {
    nullable: true,
    description: 'The rows of a brand or category job with the values filled in, one page at a time.',
  })
  async enrichmentFile(
    @Ctx() scope: RequestScope,
    @Id('jobId') jobId: string,
    @Arg('kind', () => enumTypes.JobKind, { nullable: true, description: 'A job of another kind is treated as not found.' })
    kind?: EnumValue<'JobKind'>,
    @Arg('after', () => String, { nullable: true, description: 'The `next` of the previous page.' }) after?: string | null,
  ): Promise<FilePage> {
    const job = await findJob(scope, jobId, kind);
    const subject = (Object.keys(subjects) as LabelSubject[]).find((each) => subjects[each].kind === job.kind);
    if (!subject) throw fail('INVALID_INPUT', 'only jobs over brands and categories have a file');
    return readFilePage(scope, subject, job, after);
  }
}

/** Ignores case and surrounding spaces. */
async function labelExists(scope: Scope, subject: LabelSubject, name: string): Promise<boolean> {
  return (await countRows(scope, subjects[subject].entity, { matching: sameName('name', name) })) > 0;
}

const MAX_ATTEMPTS = 20;

/** Returns the label of this name, or creates it. Concurrent calls return the same label. */
export async function createLabel(
  { em, organizationId }: Scope,
  subject: LabelSubject,
  { name, slug: wanted }: { name: string; slug?: string | null },
): Promise<{ label: Label; created: boolean }> {
  const table = sql.table(subjects[subject].table);
  const columns = sql.raw('id, organization_id as "organizationId", name, slug, created_at as "createdAt"');
  const slug = slugOf(wanted ?? name);
  let free = /^-*$/.test(slug) ? stamped(slug) : slug;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const [found] = await query(
      em,
      sql<Label>`select ${columns} from ${table} where organization_id = ${organizationId} and catalog.name_key(name) = catalog.name_key(${name})`,
    );
    if (found) return { label: found, created: false };
    const [made] = await query(
      em,
      sql<Label>`insert into ${table} (id, organization_id, name, slug) values (gen_random_uuid(), ${organizationId}, ${name}, ${free})
                 on conflict do nothing returning ${columns}`,
    );
    if (made) return { label: made, created: true };
    // The conflict is either the name, which the next attempt finds, or the slug of another label.
    free = stamped(slug, attempt);
  }
  throw fail('CONFLICT', `The slug ${slug} is taken. Please try again.`);
}

/** Lowercase, with each run of other characters replaced by a hyphen. Hyphens at the ends stay. */
const slugOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
/** Random jitter that grows with each attempt separates concurrent requests. */
const stamped = (slug: string, attempt = 1) => `${slug}-${clock.ms() + Math.floor(Math.random() * attempt ** 2)}`;

/** The slug by the rules of new labels: with a timestamp if another label has it. */
export async function freeSlug(scope: Scope, subject: LabelSubject, wanted: string, ownId: string): Promise<string> {
  const slug = slugOf(wanted);
  if (/^-*$/.test(slug)) return stamped(slug);
  const table = sql.table(subjects[subject].table);
  const [taken] = await query(
    scope.em,
    sql`select 1 from ${table} where organization_id = ${scope.organizationId} and slug = ${slug} and id <> ${ownId}`,
  );
  return taken ? stamped(slug) : slug;
}

const HISTORY_COLUMNS = [
  ...['id', 'organizationId', 'jobId', 'ordinal', 'label', 'inputData', 'referenceData', 'status', 'startedAt'],
  ...['completedAt', 'errorMessage', 'enrichedData', 'provenance', 'cost', 'createdAt'],
] as (keyof JobItem)[];

/** Newest first, by completion, or by creation while the item is open. */
const NEWEST = 'coalesce(r.completed_at, r.created_at) desc, r.id desc';
/** The enrichments of merged labels last. */
export const OWN_NEWEST = `r.from_merge, ${NEWEST}`;

/** The enrichments of a label, newest first. Empty for an unknown name. */
export const historyOf = (scope: Scope, subject: LabelSubject, name: string, page: PageRequest) =>
  listPage(
    scope,
    JobItem,
    { columns: HISTORY_COLUMNS, where: { subject }, matching: sameName('label', name), ordering: NEWEST },
    page,
  );

/**
 * Starts an enrichment of the brands or categories in the rows. Throws `OUT_OF_CREDITS`, and `CONFLICT` while another such job is
 * open.
 */
async function createLabelJob(
  scope: RequestScope,
  subject: LabelSubject,
  { rows, useWebsearch, ...options }: NewLabelJob,
): Promise<Job> {
  const { kind } = subjects[subject];
  const items = rowItems(subject, rows);
  await requireBalance(scope);
  await chooseAttributes(scope, options.attributeSetId, options.attributeIds, subject);
  const uploadedFileIds = await requireFiles(scope, options.uploadedFileIds ?? []);
  const job = { ...options, uploadedFileIds, kind, websearch: useWebsearch, createdById: scope.caller.userId };
  return createJob(scope, job, items);
}
