import { Arg, Authorized, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { createProductValidationJob, NewProductValidationJob, ValidationResultsScalar } from './kind.ts';

@Resolver()
export class ValidationResolver {
  @Authorized('member')
  @Idempotent()
  @Mutation(() => Job, { description: 'Start a job that compares attribute values of products with their current sources.' })
  createProductValidationJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductValidationJob) input: NewProductValidationJob,
  ) {
    return createProductValidationJob(scope, input);
  }
}

@Resolver(() => JobItem)
export class ValidatedItemResolver {
  @FieldResolver(() => ValidationResultsScalar, {
    nullable: true,
    description: 'Null unless a validation of the item has completed.',
  })
  validationResults(@Root() { validationResults }: JobItem) {
    return validationResults;
  }
}
