import { ArgsType } from 'type-graphql';
import { type Bind, isId, type Rows } from '../../../platform/database/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import { childPage, containing, type PageRequest, pageArguments, paginate } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Attribute } from '../attributes/entity.ts';
import { positionsOf } from '../attributes/service.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { ITEM_COLUMNS } from '../jobs/service.ts';
import { UploadedFile } from '../uploads/entity.ts';

export class ItemsOfJobArguments extends args(pageArguments(20), {
  status: field(enumTypes.JobItemStatus, { nullable: true }),
  search: field(String, {
    maxLength: 256,
    defaultValue: '',
    description: 'Part of the name or SKU of the product, or of the name of the brand or category, ignoring case.',
  }),
  sortBy: field(enumTypes.JobItemSort, { defaultValue: 'ordinal' }),
  sortOrder: field(enumTypes.SortOrder, { defaultValue: 'asc' }),
}) {}

@ArgsType()
export class LatestArguments extends pageArguments(10) {}

/** The rows of the ids that exist, in the order of the ids. One query for all callers of a tick. */
async function loadAll<T extends { id: string }>(ids: readonly string[], load: (id: string) => Promise<T | null>): Promise<T[]> {
  return (await Promise.all(ids.filter(isId).map(load))).flatMap((each) => each ?? []);
}

/** One page of the items of a job. All jobs of a page are read together. */
export async function itemsOf(scope: RequestScope, job: Job, { page, limit, ...filter }: ItemsOfJobArguments) {
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
export async function attributesOf(scope: RequestScope, { attributeIds, attributeSetId }: Job): Promise<Attribute[] | null> {
  const load = (id: string) => scope.load(Attribute, id);
  if (attributeIds?.length) return loadAll(attributeIds, load);
  if (!attributeSetId) return null;
  const positions = await positionsOf(scope, attributeSetId);
  return loadAll(
    positions.map(({ attributeId }) => attributeId),
    load,
  );
}

export const filesOf = (scope: RequestScope, { uploadedFileIds }: Job): Promise<UploadedFile[]> =>
  loadAll(uploadedFileIds ?? [], (id) => scope.load(UploadedFile, id));

const ITEM_OF_PRODUCT = ['id', 'jobId', 'productId'] as const;

/** The jobs over a product, newest first. */
export async function jobsOfProduct(scope: RequestScope, productId: string, page: PageRequest) {
  const rows = { columns: ITEM_OF_PRODUCT, orderBy: { createdAt: 'desc', id: 'desc' } } as const;
  const { nodes, pagination } = await childPage(scope, productId, JobItem, { of: 'productId' }, rows, page);
  const jobs = await loadAll(
    nodes.map(({ jobId }) => jobId),
    (id) => scope.load(Job, id),
  );
  return { ...paginate(jobs, page, pagination.total), endCursor: null };
}
