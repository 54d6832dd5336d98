import { Arg, Args, type ClassType, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../../platform/identity/index.ts';
import { type ListPage, ListSize, pageArguments } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { USUAL_PROVENANCE } from '../attributes/value-types.ts';
import { JobItem } from '../jobs/entity.ts';
import { Product } from '../products/entity.ts';
import { StoredValue } from '../values/types.ts';
import {
  Brand,
  BrandSummary,
  BrandSummaryPage,
  CategoriesArguments,
  Category,
  CategorySummary,
  CategorySummaryPage,
  LabelMove,
  type LabelSummary,
  LabelsArguments,
} from './entity.ts';
import { valuesOf } from './label-values.ts';
import { historyOf } from './service.ts';
import * as summaries from './summaries.ts';
import * as tree from './tree.ts';
import { LabelHistoryPage } from './types.ts';

class EnrichmentsArguments extends pageArguments(10) {}

class ChildrenArguments extends pageArguments(50) {}

const MAX_LEVELS = 10;

/** The fields that summaries of brands and of categories share. */
function SummaryFields(type: ClassType<LabelSummary>) {
  @Resolver(() => type)
  abstract class SummaryFieldsResolver {
    @FieldResolver(() => JobItem, { nullable: true, description: 'The latest completed enrichment.' })
    latestItem(@Ctx() scope: RequestScope, @Root() summary: LabelSummary) {
      return summaries.latestItemOf(scope.within(summary.organizationId), summary);
    }

    @ListSize(USUAL_PROVENANCE)
    @FieldResolver(() => [StoredValue], {
      description: 'The values that people entered, and the others of the latest completed enrichment.',
    })
    values(@Ctx() scope: RequestScope, @Root() summary: LabelSummary): Promise<StoredValue[]> {
      return valuesOf(scope.within(summary.organizationId), summary);
    }

    @FieldResolver(() => LabelMove, { nullable: true, description: 'The rename or merge that is still moving products.' })
    move(@Ctx() scope: RequestScope, @Root() summary: LabelSummary) {
      return tree.moveOf(scope.within(summary.organizationId), summary);
    }

    @FieldResolver(() => LabelHistoryPage, { description: 'The enrichments, newest first.' })
    enrichments(
      @Ctx() scope: RequestScope,
      @Root() { organizationId, subject, name }: LabelSummary,
      @Args(() => EnrichmentsArguments) page: EnrichmentsArguments,
    ) {
      return historyOf(scope.within(organizationId), subject, name, page);
    }
  }
  return SummaryFieldsResolver;
}

@Access('member')
@Resolver(() => BrandSummary)
export class BrandSummaryResolver extends SummaryFields(BrandSummary) {
  @Query(() => BrandSummaryPage, { description: 'The brands that products name or that were created.' })
  brands(@Ctx() scope: RequestScope, @Args(() => LabelsArguments) request: LabelsArguments) {
    return summaries.listLabels(scope, 'brand', request);
  }

  @Query(() => BrandSummary, { nullable: true, description: 'One brand by name or id.' })
  brand(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID, { nullable: true, description: 'The id of the brand or of its summary.' }) id?: string | null,
    @Arg('name', () => String, { nullable: true, description: 'Case and surrounding spaces are ignored.' }) name?: string | null,
  ) {
    return summaries.findLabel(scope, 'brand', { id, name });
  }
}

@Access('member')
@Resolver(() => CategorySummary)
export class CategorySummaryResolver extends SummaryFields(CategorySummary) {
  @Query(() => CategorySummaryPage, {
    description: 'The categories that products name or that were created, and those above them: all, or one level of the tree.',
  })
  categories(@Ctx() scope: RequestScope, @Args(() => CategoriesArguments) request: CategoriesArguments) {
    return summaries.listCategories(scope, request);
  }

  @FieldResolver(() => CategorySummaryPage, { description: 'The categories directly below, by name.' })
  children(
    @Ctx() scope: RequestScope,
    @Root() summary: CategorySummary,
    @Args(() => ChildrenArguments) page: ChildrenArguments,
  ): Promise<ListPage<LabelSummary>> {
    return tree.childrenOf(scope.within(summary.organizationId), summary, page);
  }

  @ListSize(MAX_LEVELS)
  @FieldResolver(() => [CategorySummary], { description: 'The categories above, from the top.' })
  ancestors(@Ctx() scope: RequestScope, @Root() summary: CategorySummary) {
    return tree.ancestorsOf(scope.within(summary.organizationId), summary);
  }

  @Query(() => CategorySummary, { nullable: true, description: 'One category by name or id.' })
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
