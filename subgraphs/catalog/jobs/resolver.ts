import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { readRows } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Access, User } from '../../../platform/identity/index.ts';
import { isSelected, ListSize } from '../../../platform/lists/index.ts';
import { AFTER } from '../../../platform/progress/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ProvenanceType, provenanceList, USUAL_PROVENANCE } from '../attributes/value-types.ts';
import { Job, JobItem, JobItemPage, JobItemsArguments, JobPage, JobsArguments, JobUpdate } from './entity.ts';
import { followJob, readOnce } from './job-progress.ts';
import * as jobs from './service.ts';
import { rerunJob, retryFailedItems } from './service.ts';
import { continueJob, pauseJob, stopJob } from './stop.ts';

@Access('member')
@Resolver(() => Job)
export class JobResolver {
  @Query(() => JobPage, { description: 'The jobs of the organization, newest first.' })
  jobs(@Ctx() scope: RequestScope, @Args(() => JobsArguments) request: JobsArguments, @Info() info: GraphQLResolveInfo) {
    return jobs.listJobs(scope, request, info);
  }

  @Query(() => Job, { nullable: true, description: 'One job by id.' })
  job(@Ctx() scope: RequestScope, @Id() id: string) {
    return jobs.findJob(scope, id);
  }

  @Query(() => JobItemPage, { nullable: true, description: 'The items of a job, in the order of the request.' })
  jobItems(@Ctx() scope: RequestScope, @Args(() => JobItemsArguments) { jobId, kind, ...page }: JobItemsArguments) {
    return jobs.listItems(scope, jobId, kind ?? undefined, page);
  }

  @Mutation(() => Job, {
    description:
      'Pause a job. Running items complete, and the others wait until `continueJob` resumes it. Fails with `UNPROCESSABLE` if it is paused already, and with `NOT_IN_PROGRESS` if it has ended.',
  })
  pauseJob(@Ctx() scope: RequestScope, @Id() id: string) {
    return pauseJob(scope, id);
  }

  @Mutation(() => Job, {
    description:
      'Resume a paused job. It runs to the end without its limits, unless a user paused it; then the limits still apply.',
  })
  continueJob(@Ctx() scope: RequestScope, @Id() id: string) {
    return continueJob(scope, id);
  }

  @Mutation(() => Job, {
    description: 'Start a new job for the failed items of a job that has ended; of an import, for the pages that it did not read.',
  })
  retryFailedItems(@Ctx() scope: RequestScope, @Id('jobId') jobId: string) {
    return retryFailedItems(scope, jobId);
  }

  @Mutation(() => Job, {
    description:
      'Start a new job that repeats a job that has ended, by the given model tier. A product enrichment reuses the sources that the first job read; other kinds read current data.',
  })
  rerunJob(
    @Ctx() scope: RequestScope,
    @Id('jobId') jobId: string,
    @Arg('modelType', () => enumTypes.ModelType) modelType: EnumValue<'ModelType'>,
  ) {
    return rerunJob(scope, jobId, modelType);
  }

  @Mutation(() => Job, {
    description: 'Stop a job. Its open items fail, except that running items of a product enrichment or validation complete.',
  })
  stopJob(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('kind', () => enumTypes.JobKind, { nullable: true, description: 'A job of another kind is treated as not found.' })
    kind?: EnumValue<'JobKind'>,
  ) {
    return stopJob(scope, id, kind);
  }

  @Subscription(() => JobUpdate, {
    description:
      'All changes of a job, in order, until it ends. A client that reconnects with the last `sequence` misses no change. Changes are stored for 30 days.',
    subscribe: ({ context, args, info }) =>
      followJob(context as RequestScope, args.id, args.after, isSelected(info as GraphQLResolveInfo, 'items')),
  })
  jobProgress(
    @Root() update: JobUpdate,
    @Id() _id: string,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): JobUpdate {
    return update;
  }

  @FieldResolver(() => User, { nullable: true })
  createdBy(@Ctx() scope: RequestScope, @Root() { createdById }: Job) {
    return scope.load(User, createdById);
  }
}

@Resolver(() => JobItem)
export class JobItemResolver {
  @FieldResolver(() => enumTypes.ModelType)
  async modelType(@Ctx() scope: RequestScope, @Root() { jobId, organizationId }: JobItem) {
    return (await scope.within(organizationId).load(Job, jobId))?.modelType;
  }

  @ListSize(USUAL_PROVENANCE)
  @FieldResolver(() => [ProvenanceType], { nullable: true, description: 'The origins of the values that were filled in.' })
  provenance(@Root() { provenance }: JobItem): ProvenanceType[] | null {
    return provenance && provenanceList(provenance);
  }

  @FieldResolver(() => Int, { nullable: true, description: 'Number of values that the job found; null until the item completes.' })
  valueCount(@Root() { enrichedData }: JobItem): number | null {
    return enrichedData && Object.values(enrichedData).filter(({ value }) => value !== null && value !== '').length;
  }
}

/** Maximum number of items in one update; stopping a job ends all of its items at once. */
const MAX_ITEMS = 5_000;
/** Assumed by the cost of an operation; the budget of the response counts the real number. */
const USUAL_ITEMS = 200;

@Resolver(() => JobUpdate)
export class JobUpdateResolver {
  // All subscribers of a job share the update object.
  @FieldResolver(() => Job, { description: 'The current state of the job.' })
  job(@Ctx() scope: RequestScope, @Root() update: JobUpdate) {
    return readOnce(scope, update, 'job', (detached) => jobs.findJob(detached, update.jobId));
  }

  @ListSize(USUAL_ITEMS)
  @FieldResolver(() => [JobItem], {
    description:
      'Items that ended with this update, at most 5,000. The updates of a snapshot contain all items that have ended, 500 in each.',
  })
  items(@Ctx() scope: RequestScope, @Root() update: JobUpdate) {
    const { itemIds } = update;
    if (itemIds.length === 0) return [];
    const rows = { where: { id: itemIds }, orderBy: { completedAt: 'asc', ordinal: 'asc' } } as const;
    return readOnce(scope, update, 'items', (detached) => readRows(detached, JobItem, rows, { limit: MAX_ITEMS, offset: 0 }));
  }
}
