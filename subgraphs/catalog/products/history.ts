import { Args, Ctx, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { childPage, ListSize, listPage, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { type AttributeValues, AttributeValuesScalar, type Provenances } from '../attributes/attribute-content.ts';
import { ProvenanceType, provenanceList, USUAL_PROVENANCE } from '../attributes/value-types.ts';
import { Product } from './entity.ts';
import * as products from './service.ts';
import { HistoryArguments } from './types.ts';

@ObjectType({ description: 'One completed enrichment of a product.' })
@Table('catalog.enrichment_history')
export class EnrichmentHistoryEntry extends columns(Owned, {
  productId: column('uuid'),
  jobItemId: column('uuid', { nullable: true, description: 'The job item that wrote the values.' }),
  enrichedAt: column('datetime', { initial: clock.now }),
  attributes: column(AttributeValuesScalar, {
    type: 'json',
    description: 'The values that the enrichment wrote.',
  }).as<AttributeValues>(),
  provenance: hidden('json').as<Provenances>(),
}) {}

@ObjectType({ description: 'One completed validation of a product.' })
@Table('catalog.validation_history')
export class ValidationHistoryEntry extends columns(Owned, {
  productId: column('uuid'),
  validatedAt: column('datetime', { initial: clock.now }),
  overallScore: column('decimal', { precision: 5, scale: 2, description: '0 to 100, with two decimals.' }),
}) {}

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

@Access('member')
@Resolver()
export class ProductHistoryResolver {
  @Query(() => EnrichmentHistoryPage, { description: 'The enrichments of a product, newest first.' })
  async enrichmentHistory(@Ctx() scope: RequestScope, @Args(() => HistoryArguments) { productId, ...page }: HistoryArguments) {
    await products.findProduct(scope, productId);
    return listPage(scope, EnrichmentHistoryEntry, { ...enrichments, where: { productId } }, page);
  }

  @Query(() => ValidationHistoryPage, { description: 'The validations of a product, newest first.' })
  async validationHistory(@Ctx() scope: RequestScope, @Args(() => HistoryArguments) { productId, ...page }: HistoryArguments) {
    await products.findProduct(scope, productId);
    return listPage(scope, ValidationHistoryEntry, { ...validations, where: { productId } }, page);
  }
}
