import { Args, Authorized, Ctx, FieldResolver, Float, Query, Resolver, Root } from 'type-graphql';
import { type Bind, clock, isId, type Rows } from '../../../platform/database/index.ts';
import { args, field, Id } from '../../../platform/fields/index.ts';
import { CreditEntry } from '../../../platform/identity/index.ts';
import { childPage, containing, ListSize, type PageRequest, pageArguments, paginate } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Attribute, AttributeSet } from '../attributes/entity.ts';
import { positionsOf } from '../attributes/service.ts';
import { Job, JobItem, JobItemPage, JobPage } from '../jobs/entity.ts';
import { ITEM_COLUMNS } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import { UploadedFile } from '../uploads/entity.ts';

@Resolver(() => Job)
export class JobLinksResolver {
  @FieldResolver(() => JobItemPage)
  items(@Ctx() scope: RequestScope, @Root() job: Job, @Args(() => ItemsOfJobArguments) request: ItemsOfJobArguments) {
    return itemsOf(scope.within(job.organizationId), job, request);
  }

  @FieldResolver(() => AttributeSet, { nullable: true, description: 'Null if the job names none, or if it was deleted.' })
  attributeSet(@Ctx() scope: RequestScope, @Root() { attributeSetId, organizationId }: Job) {
    return attributeSetId ? scope.within(organizationId).load(AttributeSet, attributeSetId) : null;
  }

  @ListSize(50)
  @FieldResolver(() => [Attribute], {
    nullable: true,
    description: 'The attributes that the job names, or those of its set. Null if it fills in all active attributes.',
  })
  attributes(@Ctx() scope: RequestScope, @Root() job: Job) {
    return attributesOf(scope.within(job.organizationId), job);
  }

  @ListSize(20)
  @FieldResolver(() => [UploadedFile], { description: 'The files that the job reads. Deleted files are omitted.' })
  uploadedFiles(@Ctx() scope: RequestScope, @Root() job: Job) {
    return filesOf(scope.within(job.organizationId), job);
  }

  @FieldResolver(() => Job, { nullable: true, description: 'The job that this one repeats, or whose failed items it retries.' })
  rerunOf(@Ctx() scope: RequestScope, @Root() { rerunOfId, organizationId }: Job) {
    return rerunOfId ? scope.within(organizationId).load(Job, rerunOfId) : null;
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description: 'Seconds from the start to the end, or until now while the job runs. Null until it starts.',
  })
  duration(@Root() { startedAt, completedAt }: Job): number | null {
    return startedAt && ((completedAt ?? clock.now()).getTime() - startedAt.getTime()) / 1_000;
  }
}

@Resolver(() => JobItem)
export class JobOfItemResolver {
  @Authorized('member')
  @Query(() => JobItem, { nullable: true, description: 'One job item by id.' })
  async jobItem(@Ctx() scope: RequestScope, @Id() id: string) {
    const item = isId(id) ? await scope.load(JobItem, id.toLowerCase()) : null;
    return item ?? Promise.reject(fail('NOT_FOUND', 'Item not found'));
  }

  @FieldResolver(() => Job)
  job(@Ctx() scope: RequestScope, @Root() { jobId, organizationId }: JobItem) {
    return scope.within(organizationId).load(Job, jobId);
  }
}

@Resolver(() => Product)
export class ProductJobsResolver {
  @FieldResolver(() => JobPage, { description: 'The jobs over the product, newest first.' })
  jobs(
    @Ctx() scope: RequestScope,
    @Root() { id, organizationId }: Product,
    @Args(() => LatestArguments) { page, limit }: LatestArguments,
  ) {
    return jobsOfProduct(scope.within(organizationId), id, { page, limit });
  }

  @FieldResolver(() => Job, { nullable: true, description: 'The newest job over the product.' })
  async latestJob(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Product) {
    const { nodes } = await jobsOfProduct(scope.within(organizationId), id, { page: 1, limit: 1 });
    return nodes[0] ?? null;
  }
}

/** The item that a charge or refund belongs to. */
const itemIdOf = ({ reference }: CreditEntry): string | null => /^(?:refund:)?item:(.+)$/.exec(reference)?.[1] ?? null;

@Resolver(() => CreditEntry)
export class CreditEntryLinksResolver {
  @FieldResolver(() => JobItem, { nullable: true, description: 'The job item that was charged or refunded.' })
  item(@Ctx() scope: RequestScope, @Root() entry: CreditEntry) {
    const itemId = itemIdOf(entry);
    return itemId ? scope.within(entry.organizationId).load(JobItem, itemId) : null;
  }

  @FieldResolver(() => Job, { nullable: true, description: 'The job that was charged or refunded.' })
  async job(@Ctx() scope: RequestScope, @Root() entry: CreditEntry) {
    const inner = scope.within(entry.organizationId);
    const itemId = itemIdOf(entry);
    const item = itemId ? await inner.load(JobItem, itemId) : null;
    return item && inner.load(Job, item.jobId);
  }
}

class ItemsOfJobArguments extends args(pageArguments(20), {
  status: field(enumTypes.JobItemStatus, { nullable: true }),
  search: field(String, {
    maxLength: 256,
    defaultValue: '',
    description: 'Part of the name or SKU of the product, or of the name of the brand or category, ignoring case.',
  }),
  sortBy: field(enumTypes.JobItemSort, { defaultValue: 'ordinal' }),
  sortOrder: field(enumTypes.SortOrder, { defaultValue: 'asc' }),
}) {}

class LatestArguments extends pageArguments(10) {}

/** The rows of the ids that exist, in the order of the ids. One query for all callers of a tick. */
async function loadAll<T extends { id: string }>(ids: readonly string[], load: (id: string) => Promise<T | null>): Promise<T[]> {
  return (await Promise.all(ids.filter(isId).map(load))).flatMap((each) => each ?? []);
}

/** One page of the items of a job. All jobs of a page are read together. */
async function itemsOf(scope: RequestScope, job: Job, { page, limit, ...filter }: ItemsOfJobArguments) {
  const { status, search, sortBy, sortOrder } = filter;
  const rows: Rows<JobItem> = {
    columns: ITEM_COLUMNS,
    where: { status: status ?? undefined },
    matching: search ? named(search) : undefined,
    orderBy: sortBy === 'ordinal' ? { ordinal: sortOrder } : { [sortBy]: sortOrder, ordinal: 'asc' },
  };
  return { ...(await childPage(scope, job.id, JobItem, { of: 'jobId', filter }, rows, { page, limit })), job };
}

/** Items whose label, or whose product's name or SKU, contains the search. */
const named = (search: string) => (bind: Bind) => {
  const pattern = containing(search, bind);
  return `(lower(r.label) like ${pattern} or exists (
    select 1 from catalog.products n where n.id = r.product_id and n.organization_id = r.organization_id
       and (lower(n.name) like ${pattern} or lower(n.sku) like ${pattern})))`;
};

/** The attributes that a job names, or those of its set. Null if it fills in all active attributes. */
async function attributesOf(scope: RequestScope, { attributeIds, attributeSetId }: Job): Promise<Attribute[] | null> {
  const load = (id: string) => scope.load(Attribute, id);
  if (attributeIds?.length) return loadAll(attributeIds, load);
  if (!attributeSetId) return null;
  const positions = await positionsOf(scope, attributeSetId);
  return loadAll(
    positions.map(({ attributeId }) => attributeId),
    load,
  );
}

const filesOf = (scope: RequestScope, { uploadedFileIds }: Job): Promise<UploadedFile[]> =>
  loadAll(uploadedFileIds ?? [], (id) => scope.load(UploadedFile, id));

const ITEM_OF_PRODUCT = ['id', 'jobId', 'productId'] as const;

/** The jobs over a product, newest first. */
async function jobsOfProduct(scope: RequestScope, productId: string, page: PageRequest) {
  const rows = { columns: ITEM_OF_PRODUCT, orderBy: { createdAt: 'desc', id: 'desc' } } as const;
  const { nodes, pagination } = await childPage(scope, productId, JobItem, { of: 'productId' }, rows, page);
  const jobs = await loadAll(
    nodes.map(({ jobId }) => jobId),
    (id) => scope.load(Job, id),
  );
  return { ...paginate(jobs, page, pagination.total), endCursor: null };
}
