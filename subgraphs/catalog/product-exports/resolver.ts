import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job } from '../jobs/entity.ts';
import { readPart } from './export-file.ts';
import * as exports from './service.ts';
import { ExportArguments, FilePart, ProductExport } from './service.ts';

@Access('member')
@Resolver(() => Job)
export class ProductExportResolver {
  @Idempotent({ prepares: true })
  @Mutation(() => Job, {
    description:
      'Start a job that writes up to 1,000,000 products to a file: CSV with a column for each attribute that the products have or need, which an import reads back, or JSON lines. It costs no credits. The products are selected when it starts. The file counts as storage and is deleted 7 days after the end of the job.',
  })
  createProductExportJob(@Ctx() scope: RequestScope, @Args(() => ExportArguments) request: ExportArguments) {
    return exports.createExportJob(scope, request);
  }

  @Query(() => FilePart, {
    nullable: true,
    description: 'The file of an export in parts: at most 500,000 bytes and one product each.',
  })
  productExportFile(
    @Ctx() scope: RequestScope,
    @Id('jobId') jobId: string,
    @Arg('after', () => String, { nullable: true, description: 'The `next` of the previous part.' }) after?: string | null,
  ) {
    return readPart(scope, jobId, after ?? null);
  }

  @FieldResolver(() => ProductExport, { nullable: true, description: 'Null for jobs of other kinds.' })
  productExport(@Ctx() scope: RequestScope, @Root() { id, kind, organizationId }: Job) {
    return kind === 'product-export' ? exports.stateOf(scope.within(organizationId), id) : null;
  }
}
