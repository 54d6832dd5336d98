import { Arg, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import type { RequestScope } from '../../common/scope.ts';
import { Job } from '../jobs/entity.ts';
import { createProductValidationJob } from './create.ts';
import { NewProductValidationJob } from './types.ts';

@Resolver()
export class ValidationResolver {
  @Authorized('member')
  @Mutation(() => Job, { description: 'Start comparing the attributes of products with their sources.' })
  createProductValidationJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductValidationJob) input: NewProductValidationJob,
  ) {
    return createProductValidationJob(scope, input);
  }
}
