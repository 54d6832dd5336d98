import { Arg, Authorized, Ctx, FieldResolver, Float, Int, Resolver, Root, Subscription } from 'type-graphql';
import { balanceOf } from '../../../platform/credits/index.ts';
import { readRows } from '../../../platform/database/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { AFTER } from '../../../platform/progress/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job } from '../jobs/entity.ts';
import { readOnce } from '../jobs/job-progress.ts';
import { reviewCount } from '../stats/service.ts';
import { ENDED_JOBS, followOrganization, OrganizationUpdate } from './update-log.ts';

/** Assumed by the cost of an operation; the budget of the response counts the real number. */
const USUAL_JOBS = 20;

@Resolver(() => OrganizationUpdate)
export class OrganizationUpdateResolver {
  @Authorized('member')
  @Subscription(() => OrganizationUpdate, {
    description:
      'All changes of the jobs, credits and reviews of the organization, in order. A client that reconnects with the last `sequence` misses no change. Changes are stored for 30 days.',
    subscribe: ({ context, args }) => followOrganization(context as RequestScope, args.after),
  })
  jobsChanged(
    @Root() update: OrganizationUpdate,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): OrganizationUpdate {
    return update;
  }

  // All subscribers of an organization share the update object.
  @ListSize(USUAL_JOBS)
  @FieldResolver(() => [Job], {
    description: `The jobs that changed, in their current state. In a snapshot, the open jobs and the ${ENDED_JOBS} that ended last. At most 500.`,
  })
  jobs(@Ctx() scope: RequestScope, @Root() update: OrganizationUpdate) {
    if (update.jobIds.length === 0) return [];
    return readOnce(scope, update, 'jobs', (detached) =>
      readRows(detached, Job, { where: { id: update.jobIds }, orderBy: { createdAt: 'desc', id: 'desc' } }),
    );
  }

  @FieldResolver(() => Float, { description: 'Current balance.' })
  credits(@Ctx() scope: RequestScope, @Root() update: OrganizationUpdate) {
    return readOnce(scope, update, 'credits', balanceOf);
  }

  @FieldResolver(() => Int, { description: 'The number of values that nobody has reviewed yet.' })
  reviewCount(@Ctx() scope: RequestScope, @Root() update: OrganizationUpdate) {
    return readOnce(scope, update, 'review count', (detached) => reviewCount(detached));
  }
}
