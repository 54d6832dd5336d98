import { Arg, Args, Authorized, type ClassType, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { USUAL_PROVENANCE } from '../attributes/value-types.ts';
import { Brand } from '../brands/entity.ts';
import { Category } from '../categories/entity.ts';
import { JobItem } from '../jobs/entity.ts';
import { Product } from '../products/entity.ts';
import { StoredValue, storedValues } from '../values/types.ts';
import * as summaries from './summaries.ts';
import type { LabelSummary } from './summary-entity.ts';
import { BrandSummary, BrandSummaryPage, CategorySummary, CategorySummaryPage, LabelsArguments } from './summary-entity.ts';

/** The fields that summaries of brands and of categories share. */
function SummaryFields(type: ClassType<LabelSummary>) {
  @Resolver(() => type)
  abstract class SummaryFieldsResolver {
    @FieldResolver(() => JobItem, { nullable: true, description: 'The latest completed enrichment.' })
    latestItem(@Ctx() scope: RequestScope, @Root() summary: LabelSummary) {
      return summaries.latestItemOf(scope.within(summary.organizationId), summary);
    }

    @ListSize(USUAL_PROVENANCE)
    @FieldResolver(() => [StoredValue], { description: 'The values of the latest completed enrichment. Empty without one.' })
    async values(@Ctx() scope: RequestScope, @Root() summary: LabelSummary): Promise<StoredValue[]> {
      const item = await summaries.latestItemOf(scope.within(summary.organizationId), summary);
      return item ? storedValues(summary.organizationId, item.enrichedData ?? {}, item.provenance ?? {}) : [];
    }
  }
  return SummaryFieldsResolver;
}

@Resolver(() => BrandSummary)
export class BrandSummaryResolver extends SummaryFields(BrandSummary) {
  @Authorized('member')
  @Query(() => BrandSummaryPage, { description: 'The brands that products name or that were created.' })
  brands(@Ctx() scope: RequestScope, @Args(() => LabelsArguments) request: LabelsArguments) {
    return summaries.listLabels(scope, 'brand', request);
  }

  @Authorized('member')
  @Query(() => BrandSummary, { description: 'One brand by name or id.' })
  brand(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID, { nullable: true, description: 'The id of the brand or of its summary.' }) id?: string | null,
    @Arg('name', () => String, { nullable: true, description: 'Case and surrounding spaces are ignored.' }) name?: string | null,
  ) {
    return summaries.findLabel(scope, 'brand', { id, name });
  }
}

@Resolver(() => CategorySummary)
export class CategorySummaryResolver extends SummaryFields(CategorySummary) {
  @Authorized('member')
  @Query(() => CategorySummaryPage, { description: 'The categories that products name or that were created.' })
  categories(@Ctx() scope: RequestScope, @Args(() => LabelsArguments) request: LabelsArguments) {
    return summaries.listLabels(scope, 'category', request);
  }

  @Authorized('member')
  @Query(() => CategorySummary, { description: 'One category by name or id.' })
  category(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID, { nullable: true, description: 'The id of the category or of its summary.' }) id?: string | null,
    @Arg('name', () => String, { nullable: true, description: 'Case and surrounding spaces are ignored.' }) name?: string | null,
  ) {
    return summaries.findLabel(scope, 'category', { id, name });
  }
}

@Resolver(() => BrandSummary)
export class BrandOfSummaryResolver {
  @FieldResolver(() => Brand, { nullable: true, description: 'Null if products name the brand but nobody has created it.' })
  brand(@Ctx() scope: RequestScope, @Root() { recordId, organizationId }: BrandSummary) {
    return recordId ? scope.within(organizationId).load(Brand, recordId) : null;
  }
}

@Resolver(() => CategorySummary)
export class CategoryOfSummaryResolver {
  @FieldResolver(() => Category, { nullable: true, description: 'Null if products name the category but nobody has created it.' })
  category(@Ctx() scope: RequestScope, @Root() { recordId, organizationId }: CategorySummary) {
    return recordId ? scope.within(organizationId).load(Category, recordId) : null;
  }
}

@Resolver(() => Brand)
export class BrandRecordResolver {
  @FieldResolver(() => BrandSummary, { nullable: true, description: 'The number of its products and its latest values.' })
  summary(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Brand) {
    return summaries.summaryOfRecord(scope.within(organizationId), 'brand', id);
  }
}

@Resolver(() => Category)
export class CategoryRecordResolver {
  @FieldResolver(() => CategorySummary, { nullable: true, description: 'The number of its products and its latest values.' })
  summary(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Category) {
    return summaries.summaryOfRecord(scope.within(organizationId), 'category', id);
  }
}

@Resolver(() => Product)
export class ProductLabelsResolver {
  @FieldResolver(() => BrandSummary, { nullable: true, description: 'The brand that the product names.' })
  brandSummary(@Ctx() scope: RequestScope, @Root() product: Product) {
    return summaries.summaryOfProduct(scope.within(product.organizationId), 'brand', product);
  }

  @FieldResolver(() => CategorySummary, { nullable: true, description: 'The category that the product names.' })
  categorySummary(@Ctx() scope: RequestScope, @Root() product: Product) {
    return summaries.summaryOfProduct(scope.within(product.organizationId), 'category', product);
  }
}
