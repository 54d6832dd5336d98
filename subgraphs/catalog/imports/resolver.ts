import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job } from '../jobs/entity.ts';
import { ImportCell, ImportQuestion, ImportRow, ImportValue } from './data.ts';
import {
  FinalizeArguments,
  Finalized,
  ImportAccount,
  ImportCounts,
  ImportDifference,
  ImportItem,
  ImportItemChange,
  ImportItemPage,
  ImportItemsArguments,
  ImportNotePage,
  ImportNotesArguments,
  NewAiImportJob,
  UpdateArguments,
} from './entity.ts';
import { readKnown, wantedOf } from './known-products.ts';
import { ImportTableMapping } from './mapping-types.ts';
import { createProductImportJob, finalizeAiImportJob, latestImports } from './product-import.ts';
import * as imports from './service.ts';
import { updateImportItem } from './service.ts';
import { compare, parentDifference } from './update.ts';

/** The lengths that the cost of an operation assumes for one item. */
const [USUAL_CELLS, USUAL_ROWS] = [20, 2];

@Access('member')
@Resolver(() => ImportItem)
export class ImportResolver {
  @Query(() => ImportItemPage, { nullable: true, description: 'The items that an import extracted from its files.' })
  importItems(@Ctx() scope: RequestScope, @Args(() => ImportItemsArguments) args: ImportItemsArguments) {
    return imports.listImportItems(scope, args);
  }

  @Query(() => ImportItem, { nullable: true, description: 'One extracted item by id.' })
  importItem(@Ctx() scope: RequestScope, @Id() id: string) {
    return imports.findImportItem(scope, id);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Job, { description: 'Start a job that extracts products from files.' })
  createAiImportJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewAiImportJob) input: NewAiImportJob,
    @Arg('importMapping', () => [ImportTableMapping], {
      nullable: true,
      description: 'The columns of tables of `uploadedFileIds`, at most 20. These tables are read without a model, at no charge.',
    })
    importMapping?: ImportTableMapping[] | null,
  ) {
    return imports.createAiImportJob(scope, input, importMapping ?? []);
  }

  @Mutation(() => ImportItem, {
    description: 'Change an extracted item before it is imported. A failed item becomes pending again.',
  })
  updateImportItem(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => ImportItemChange) input: ImportItemChange) {
    return updateImportItem(scope, id, input);
  }

  @Mutation(() => Finalized, {
    description:
      'Import extracted items into the catalog: create products, change existing ones, or both. Items that are already imported are skipped.',
  })
  finalizeAiImportJob(@Ctx() scope: RequestScope, @Args(() => FinalizeArguments) args: FinalizeArguments) {
    return finalizeAiImportJob(scope, args);
  }

  @Idempotent()
  @Mutation(() => Job, {
    description:
      'Start a job that imports items into the catalog like `finalizeAiImportJob`, with progress. It can be stopped, and costs nothing.',
  })
  createProductImportJob(@Ctx() scope: RequestScope, @Args(() => FinalizeArguments) args: FinalizeArguments) {
    return createProductImportJob(scope, args);
  }

  @Query(() => ImportNotePage, {
    nullable: true,
    description: 'Notes about the rows of an import that became no item of their own.',
  })
  importNotes(@Ctx() scope: RequestScope, @Args(() => ImportNotesArguments) args: ImportNotesArguments) {
    return imports.listImportNotes(scope, args);
  }

  @Query(() => ImportAccount, { nullable: true, description: 'The whereabouts of all rows that an import has read.' })
  importAccount(@Ctx() scope: RequestScope, @Id('jobId') jobId: string) {
    return imports.readAccount(scope, jobId);
  }

  @ListSize(USUAL_ROWS)
  @FieldResolver(() => [ImportRow], { description: 'The rows that state the product, the one that counts first; at most 100.' })
  rows(@Root() { details }: ImportItem) {
    return details.rows;
  }

  @ListSize(USUAL_CELLS)
  @FieldResolver(() => [ImportValue], { description: 'The attribute values that the product will have.' })
  values(@Root() { details }: ImportItem) {
    return details.values;
  }

  @ListSize(USUAL_CELLS)
  @FieldResolver(() => [ImportCell], { description: 'The other cells of the row, which stay with the product as its source.' })
  source(@Root() { details }: ImportItem) {
    return details.source;
  }

  @ListSize(USUAL_ROWS)
  @FieldResolver(() => [ImportQuestion], { description: 'Open questions. `updateImportItem` answers them.' })
  questions(@Root() { details }: ImportItem) {
    return details.questions;
  }

  @ListSize(USUAL_ROWS)
  @FieldResolver(() => [ImportDifference], {
    nullable: true,
    description: 'The changes that finalizing makes to the existing product. Null if no product matches the item.',
  })
  async differences(@Ctx() scope: RequestScope, @Root() item: ImportItem, @Args(() => UpdateArguments) options: UpdateArguments) {
    const read = scope.batch(`products of import items by ${options.matchBy}`, async (wanted: string[]) => {
      const parsed = wanted.map((each) => JSON.parse(each));
      const known = await readKnown(scope, parsed, options.matchBy);
      return new Map(parsed.flatMap((each, at) => (known.has(each.key) ? [[wanted[at]!, known.get(each.key)!] as const] : [])));
    });
    const product = await read(JSON.stringify(wantedOf(item, options.matchBy)));
    if (!product) return null;
    const family = item.parentItemId === null ? null : await scope.load(ImportItem, item.parentItemId);
    const ofParent = parentDifference(product, item, family, options);
    return [...compare(product, item, item.jobId, options).differences, ...(ofParent ? [ofParent] : [])];
  }
}

@Resolver(() => Job)
export class ProductImportResolver {
  @FieldResolver(() => ImportCounts, {
    nullable: true,
    description: 'The outcome of the items that a `product-import` has processed so far. Null before the first ones.',
  })
  importCounts(@Root() { importCounts }: Job) {
    return importCounts;
  }

  @FieldResolver(() => Job, {
    nullable: true,
    description: 'The latest `product-import` of the items of an import. Null for other kinds of jobs.',
  })
  async productImport(@Ctx() scope: RequestScope, @Root() { id, kind }: Job) {
    if (kind !== 'ai-import') return null;
    const latest = scope.batch('latest product imports', (ids) => latestImports(scope, ids));
    const jobId = await latest(id);
    return jobId && scope.load(Job, jobId);
  }
}
