import { Arg, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import { Idempotent } from '../../common/idempotency/idempotent.ts';
import type { RequestScope } from '../../common/scope.ts';
import { Job } from '../jobs/entity.ts';
import { JobLimits } from '../jobs/types.ts';
import { createProductEnrichmentJob } from './create.ts';
import { NewProductEnrichmentJob } from './types.ts';

@Resolver()
export class EnrichmentResolver {
  @Authorized('member')
  @Idempotent()
  @Mutation(() => Job, { description: 'Start a job that fills in attributes of products from their sources.' })
  createProductEnrichmentJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductEnrichmentJob) input: NewProductEnrichmentJob,
    @Arg('limits', () => JobLimits, { nullable: true, description: 'When the job pauses. Default: never.' })
    limits?: JobLimits | null,
  ) {
    return createProductEnrichmentJob(scope, input, limits ?? {});
  }
}
