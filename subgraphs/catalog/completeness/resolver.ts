import { Arg, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Resolver, Root } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Attribute, AttributeSet } from '../attributes/entity.ts';
import { CategorySummary } from '../labels/entity.ts';
import { Product } from '../products/entity.ts';
import { CatalogStats } from '../stats/entity.ts';
import * as completeness from './completeness.ts';
import { Completeness, CompletenessDay, ProductCompleteness } from './types.ts';

const MAX_DAYS = 366;
const USUAL_MISSING = 20;

@Resolver(() => CatalogStats)
export class CatalogCompletenessResolver {
  @FieldResolver(() => Completeness)
  completeness(@Ctx() scope: RequestScope) {
    return completeness.catalogCompleteness(scope);
  }

  @ListSize(30)
  @FieldResolver(() => [CompletenessDay], { description: 'The completeness of the last days, oldest first.' })
  completenessDays(
    @Ctx() scope: RequestScope,
    @Arg('days', () => Int, { defaultValue: 30, description: 'At most 366.' }) days: number,
  ) {
    if (days < 1 || days > MAX_DAYS) throw fail('INVALID_INPUT', `days must be between 1 and ${MAX_DAYS}`);
    return completeness.completenessDays(scope, days);
  }
}

@Resolver(() => CategorySummary)
export class CategoryCompletenessResolver {
  @FieldResolver(() => Completeness)
  completeness(@Ctx() scope: RequestScope, @Root() summary: CategorySummary) {
    return completeness.categoryCompleteness(scope.within(summary.organizationId), summary);
  }

  @FieldResolver(() => AttributeSet, {
    nullable: true,
    description: 'The attributes that products of the category need. Without a set, they need all active attributes.',
  })
  async attributeSet(@Ctx() scope: RequestScope, @Root() summary: CategorySummary) {
    const within = scope.within(summary.organizationId);
    const id = await completeness.attributeSetIdOf(within, summary);
    return id && within.load(AttributeSet, id);
  }

  @Authorized('admin')
  @Mutation(() => CategorySummary, { description: 'Set the attributes that products of a category need to be complete.' })
  setCategoryAttributeSet(
    @Ctx() scope: RequestScope,
    @Arg('category', () => String, { description: 'The name. Case and surrounding spaces are ignored.' }) category: string,
    @Arg('attributeSetId', () => ID, { nullable: true, description: 'Null removes the set.' }) attributeSetId?: string | null,
  ) {
    return completeness.setCategoryAttributes(scope, category, attributeSetId ?? null);
  }
}

@Resolver(() => AttributeSet)
export class SetCategoriesResolver {
  @ListSize(completeness.MAX_CATEGORIES)
  @FieldResolver(() => [CategorySummary], { description: 'The categories whose products need these attributes, at most 1,000.' })
  categories(@Ctx() scope: RequestScope, @Root() { id, organizationId }: AttributeSet) {
    return completeness.categoriesOf(scope.within(organizationId), id);
  }
}

@Resolver(() => Product)
export class ProductCompletenessResolver {
  @FieldResolver(() => ProductCompleteness)
  async completeness(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Product): Promise<ProductCompleteness> {
    const found = await completeness.productCompleteness(scope.within(organizationId), id);
    return found ?? { percent: null, requiredPercent: null, missingSlugs: [], missingRequiredSlugs: [] };
  }
}

@Resolver(() => ProductCompleteness)
export class MissingAttributesResolver {
  @ListSize(USUAL_MISSING)
  @FieldResolver(() => [Attribute], { description: 'The expected attributes without a value, sorted by name.' })
  missing(@Ctx() scope: RequestScope, @Root() { missingSlugs }: ProductCompleteness) {
    return completeness.attributesOf(scope, missingSlugs);
  }

  @ListSize(USUAL_MISSING)
  @FieldResolver(() => [Attribute], { description: 'The required attributes without a value, sorted by name.' })
  missingRequired(@Ctx() scope: RequestScope, @Root() { missingRequiredSlugs }: ProductCompleteness) {
    return completeness.attributesOf(scope, missingRequiredSlugs);
  }
}
