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
  @Mutation(() => Job, { description: 'Start filling in the attributes of products.' })
  createProductEnrichmentJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductEnrichmentJob) input: NewProductEnrichmentJob,
    @Arg('limits', () => JobLimits, { nullable: true, description: 'Where it pauses; nowhere when absent.' })
    limits?: JobLimits | null,
  ) {
    return createProductEnrichmentJob(scope, input, limits ?? {});
  }
}
