import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job } from '../jobs/entity.ts';
import { updateImportItem } from './change.ts';
import { ImportItem } from './entity.ts';
import { finalizeAiImportJob } from './finalize.ts';
import * as imports from './service.ts';
import { FinalizeArguments, Finalized, ImportItemChange, ImportItemPage, ImportItemsArguments, NewAiImportJob } from './types.ts';

@Resolver()
export class ImportResolver {
  @Authorized('member')
  @Query(() => ImportItemPage, { description: 'The items that an import extracted from its files.' })
  importItems(@Ctx() scope: RequestScope, @Args(() => ImportItemsArguments) args: ImportItemsArguments) {
    return imports.listImportItems(scope, args);
  }

  @Authorized('member')
  @Query(() => ImportItem, { description: 'One extracted item by id.' })
  importItem(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return imports.findImportItem(scope, id);
  }

  @Authorized('member')
  @Idempotent({ prepares: true })
  @Mutation(() => Job, { description: 'Start a job that extracts products from files.' })
  createAiImportJob(@Ctx() scope: RequestScope, @Arg('input', () => NewAiImportJob) input: NewAiImportJob) {
    return imports.createAiImportJob(scope, input);
  }

  @Authorized('member')
  @Mutation(() => ImportItem, {
    description: 'Change an extracted item before it is imported. A failed item becomes pending again.',
  })
  updateImportItem(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ImportItemChange) input: ImportItemChange,
  ) {
    return updateImportItem(scope, id, input);
  }

  @Authorized('member')
  @Mutation(() => Finalized, {
    description: 'Import extracted items into the catalog. Items that are already imported are skipped.',
  })
  finalizeAiImportJob(@Ctx() scope: RequestScope, @Args(() => FinalizeArguments) args: FinalizeArguments) {
    return finalizeAiImportJob(scope, args);
  }
}
