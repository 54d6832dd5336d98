import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { ProvenanceType } from '../attributes/value-types.ts';
import { Job } from '../jobs/entity.ts';
import { JobItem } from '../jobs/item-entity.ts';
import { JobLimits } from '../jobs/types.ts';
import { createProductEnrichmentJob } from './create.ts';
import { NewProductEnrichmentJob } from './types.ts';

@Resolver(() => ProvenanceType)
export class ProvenanceResolver {
  @ListSize(10)
  @FieldResolver(() => [ID], { description: 'Products whose accepted values the model received as examples.' })
  async exampleIds(@Ctx() scope: RequestScope, @Root() { itemId }: ProvenanceType): Promise<string[]> {
    return (await scope.load(JobItem, itemId))?.exampleIds ?? [];
  }
}

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
