import { Args, Authorized, Ctx, FieldResolver, Float, Query, Resolver, Root } from 'type-graphql';
import { clock, isId } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { CreditEntry } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Attribute, AttributeSet } from '../attributes/entity.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { JobItemPage, JobPage } from '../jobs/types.ts';
import { Product } from '../products/entity.ts';
import { UploadedFile } from '../uploads/entity.ts';
import * as links from './service.ts';
import { ItemsOfJobArguments, LatestArguments } from './service.ts';

@Resolver(() => Job)
export class JobLinksResolver {
  @FieldResolver(() => JobItemPage)
  items(@Ctx() scope: RequestScope, @Root() job: Job, @Args(() => ItemsOfJobArguments) request: ItemsOfJobArguments) {
    return links.itemsOf(scope.within(job.organizationId), job, request);
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
    return links.attributesOf(scope.within(job.organizationId), job);
  }

  @ListSize(20)
  @FieldResolver(() => [UploadedFile], { description: 'The files that the job reads. Deleted files are omitted.' })
  uploadedFiles(@Ctx() scope: RequestScope, @Root() job: Job) {
    return links.filesOf(scope.within(job.organizationId), job);
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
    return links.jobsOfProduct(scope.within(organizationId), id, { page, limit });
  }

  @FieldResolver(() => Job, { nullable: true, description: 'The newest job over the product.' })
  async latestJob(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Product) {
    const { nodes } = await links.jobsOfProduct(scope.within(organizationId), id, { page: 1, limit: 1 });
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
