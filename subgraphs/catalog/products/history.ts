import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Args, ArgsType, Authorized, Ctx, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { childPage, ListSize, listPage, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { type AttributeValues, AttributeValuesScalar, type Provenances } from '../attributes/attribute-content.ts';
import { ProvenanceType, provenanceList, USUAL_PROVENANCE } from '../attributes/value-types.ts';
import { Product } from './entity.ts';
import * as products from './service.ts';
import { HistoryArguments } from './types.ts';

@ObjectType({ description: 'One completed enrichment of a product.' })
@Entity({ schema: 'catalog', tableName: 'enrichment_history' })
export class EnrichmentHistoryEntry extends Owned {
  @FieldProperty({ type: 'uuid' })
  productId!: string;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The job item that wrote the values.' })
  jobItemId: string | null = null;

  @FieldProperty({ type: 'datetime' })
  enrichedAt: Opt<Date> = clock.now();

  @FieldProperty(() => AttributeValuesScalar, { type: 'json', description: 'The values that the enrichment wrote.' })
  attributes!: AttributeValues;

  @Property({ type: 'json' })
  provenance!: Provenances;
}

@ObjectType({ description: 'One completed validation of a product.' })
@Entity({ schema: 'catalog', tableName: 'validation_history' })
export class ValidationHistoryEntry extends Owned {
  @FieldProperty({ type: 'uuid' })
  productId!: string;

  @FieldProperty({ type: 'datetime' })
  validatedAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'decimal', precision: 5, scale: 2, runtimeType: 'number', description: '0 to 100, with two decimals.' })
  overallScore!: number;
}

@ObjectType({ description: 'One page of enrichments.' })
class EnrichmentHistoryPage extends PageOf(EnrichmentHistoryEntry, 'EnrichmentHistoryPage') {}

@ObjectType({ description: 'One page of validations.' })
class ValidationHistoryPage extends PageOf(ValidationHistoryEntry, 'ValidationHistoryPage') {}

@Resolver(() => EnrichmentHistoryEntry)
export class EnrichmentHistoryResolver {
  @ListSize(USUAL_PROVENANCE)
  @FieldResolver(() => [ProvenanceType], { description: 'The origins of the values.' })
  provenance(@Root() entry: EnrichmentHistoryEntry): ProvenanceType[] {
    return provenanceList(entry.provenance);
  }
}

const enrichments = {
  columns: ['id', 'productId', 'jobItemId', 'enrichedAt', 'attributes', 'provenance'],
  orderBy: { enrichedAt: 'desc', id: 'desc' },
} as const;
const validations = {
  columns: ['id', 'productId', 'validatedAt', 'overallScore'],
  orderBy: { validatedAt: 'desc', id: 'desc' },
} as const;

@ArgsType()
class HistoryPage extends pageArguments(10) {}

@Resolver(() => Product)
export class HistoryOfProductResolver {
  @FieldResolver(() => EnrichmentHistoryPage, { description: 'The enrichments of the product, newest first.' })
  enrichmentHistory(
    @Ctx() scope: RequestScope,
    @Root() { id, organizationId }: Product,
    @Args(() => HistoryPage) page: HistoryPage,
  ) {
    return childPage(scope.within(organizationId), id, EnrichmentHistoryEntry, { of: 'productId' }, enrichments, page);
  }

  @FieldResolver(() => ValidationHistoryPage, { description: 'The validations of the product, newest first.' })
  validationHistory(
    @Ctx() scope: RequestScope,
    @Root() { id, organizationId }: Product,
    @Args(() => HistoryPage) page: HistoryPage,
  ) {
    return childPage(scope.within(organizationId), id, ValidationHistoryEntry, { of: 'productId' }, validations, page);
  }
}

@Resolver()
export class ProductHistoryResolver {
  @Authorized('member')
  @Query(() => EnrichmentHistoryPage, { description: 'The enrichments of a product, newest first.' })
  async enrichmentHistory(@Ctx() scope: RequestScope, @Args(() => HistoryArguments) { productId, ...page }: HistoryArguments) {
    await products.findProduct(scope, productId);
    return listPage(scope, EnrichmentHistoryEntry, { ...enrichments, where: { productId } }, page);
  }

  @Authorized('member')
  @Query(() => ValidationHistoryPage, { description: 'The validations of a product, newest first.' })
  async validationHistory(@Ctx() scope: RequestScope, @Args(() => HistoryArguments) { productId, ...page }: HistoryArguments) {
    await products.findProduct(scope, productId);
    return listPage(scope, ValidationHistoryEntry, { ...validations, where: { productId } }, page);
  }
}
