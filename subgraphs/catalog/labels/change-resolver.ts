import { Arg, Args, Ctx, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { Deletion } from '../../../platform/database/index.ts';
import { args, field, Id, list } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { AttributeValuesScalar } from '../attributes/attribute-content.ts';
import { attributeFaults } from '../attributes/value-faults.ts';
import { BrandSummary, CategorySummary, type LabelSubject, MergePreview } from './entity.ts';
import { enterValues } from './label-values.ts';
import * as moves from './moves.ts';
import { findLabel } from './summaries.ts';
import { previewMerge } from './tree.ts';
import { BrandName, CategoryName } from './types.ts';

class NewSlug extends args({
  slug: field(String, {
    minLength: 1,
    maxLength: 256,
    nullable: true,
    description: 'Follows the rules of a new slug. Default: the slug stays.',
  }),
}) {}

class Merge extends args({
  id: field(ID, 'It exists no longer afterwards.'),
  intoId: field(ID, 'It keeps its record, its values and its enrichment, where it has them.'),
}) {}

class EnteredValues extends args({
  id: field(ID),
  attributes: field(AttributeValuesScalar, {
    faults: (map, path) => (map === null ? [] : attributeFaults(map, path)),
    nullable: true,
    description: 'They replace those of enrichments, also of later ones.',
  }).as<unknown>(),
  remove: list(String, {
    maxItems: 500,
    defaultValue: [],
    description: 'Slugs of entered values to remove. The value of the latest enrichment shows again.',
  }),
}) {}

@ObjectType({ description: 'Confirms that a brand or category was deleted.' })
class DeletedLabel extends Deletion {}

const summaryOf = async (scope: RequestScope, subject: LabelSubject, changed: Promise<string>) =>
  findLabel(scope, subject, { id: await changed });

@Access('member')
@Resolver()
export class BrandChangeResolver {
  @Mutation(() => BrandSummary, {
    description:
      'Rename a brand. Its products get the new name: up to 1,000 at once, more in the background. Fails if another brand has the name.',
  })
  renameBrand(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID, { description: 'The id of the brand or of its summary.' }) id: string,
    @Args(() => BrandName) { name }: BrandName,
    @Args(() => NewSlug) { slug }: NewSlug,
  ) {
    return summaryOf(scope, 'brand', moves.renameLabel(scope, 'brand', id, { name, slug }));
  }

  @Query(() => MergePreview, { nullable: true, description: 'Preview a merge of two brands. Changes nothing.' })
  brandMergePreview(@Ctx() scope: RequestScope, @Args(() => Merge) { id, intoId }: Merge) {
    return previewMerge(scope, 'brand', id, intoId);
  }

  @Mutation(() => BrandSummary, {
    description:
      'Merge a brand into another: its products, its history, and the values that the other one lacks. Its slug is then free.',
  })
  mergeBrand(@Ctx() scope: RequestScope, @Args(() => Merge) { id, intoId }: Merge) {
    return summaryOf(scope, 'brand', moves.mergeLabel(scope, 'brand', id, intoId));
  }

  @Mutation(() => DeletedLabel, { description: 'Delete a brand without products, and its values. Its history stays.' })
  deleteBrand(@Ctx() scope: RequestScope, @Id() id: string) {
    return moves.deleteLabel(scope, 'brand', id);
  }

  @Mutation(() => BrandSummary, { description: 'Enter or remove values of a brand.' })
  updateBrandValues(@Ctx() scope: RequestScope, @Args(() => EnteredValues) values: EnteredValues) {
    return enterValues(scope, 'brand', values);
  }
}

@Access('member')
@Resolver()
export class CategoryChangeResolver {
  @Mutation(() => CategorySummary, {
    description:
      'Rename a category, or move it in the tree by another path. Its products and the categories below it follow: up to 1,000 products at once, more in the background. Fails if another category has the name.',
  })
  renameCategory(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID, { description: 'The id of the category or of its summary.' }) id: string,
    @Args(() => CategoryName) { name }: CategoryName,
    @Args(() => NewSlug) { slug }: NewSlug,
  ) {
    return summaryOf(scope, 'category', moves.renameLabel(scope, 'category', id, { name, slug }));
  }

  @Query(() => MergePreview, { nullable: true, description: 'Preview a merge of two categories. Changes nothing.' })
  categoryMergePreview(@Ctx() scope: RequestScope, @Args(() => Merge) { id, intoId }: Merge) {
    return previewMerge(scope, 'category', id, intoId);
  }

  @Mutation(() => CategorySummary, {
    description:
      'Merge a category into another, with those below it: its products, its history, and the set and values that the other one lacks. Its slug is then free.',
  })
  mergeCategory(@Ctx() scope: RequestScope, @Args(() => Merge) { id, intoId }: Merge) {
    return summaryOf(scope, 'category', moves.mergeLabel(scope, 'category', id, intoId));
  }

  @Mutation(() => DeletedLabel, {
    description: 'Delete a category without products and without others below it, and its values. Its history stays.',
  })
  deleteCategory(@Ctx() scope: RequestScope, @Id() id: string) {
    return moves.deleteLabel(scope, 'category', id);
  }

  @Mutation(() => CategorySummary, { description: 'Enter or remove values of a category.' })
  updateCategoryValues(@Ctx() scope: RequestScope, @Args(() => EnteredValues) values: EnteredValues) {
    return enterValues(scope, 'category', values);
  }
}
