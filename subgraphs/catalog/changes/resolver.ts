import { Args, Authorized, Ctx, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Brand, Category } from '../labels/entity.ts';
import { Product } from '../products/entity.ts';
import { CatalogChange, type ChangePage, readChanges } from './feed.ts';

class ChangesArguments extends args({
  after: field(String, {
    maxLength: 64,
    nullable: true,
    description: 'The `cursor` of an earlier response. Without it, the feed lists all records of the catalog first.',
  }),
  limit: field(Int, { min: 1, max: 500, defaultValue: 100, description: 'Page size.' }),
}) {}

@ObjectType({ description: 'Changes of the catalog, in the order of their commits.' })
class CatalogChanges
  extends output({
    changes: list(CatalogChange, 'Each record once, with its latest change.'),
    cursor: field(String, 'Pass it as `after` for the next changes. Store it together with the changes.'),
    hasMore: field(Boolean, 'Whether more changes can be read without waiting.'),
  })
  implements ChangePage {}

@Resolver(() => CatalogChange)
export class CatalogChangesResolver {
  @Authorized('member')
  @Query(() => CatalogChanges, {
    description:
      'The products, brands and categories that were created, changed or deleted, so that a mirror of the catalog stays complete. A change is listed once its transaction has committed, and none is skipped.',
  })
  catalogChanges(
    @Ctx() scope: RequestScope,
    @Args(() => ChangesArguments) { after, limit }: ChangesArguments,
  ): Promise<ChangePage> {
    return readChanges(scope, after, limit);
  }

  @FieldResolver(() => Product, {
    nullable: true,
    description: 'The current product; null for other records and after its deletion.',
  })
  product(@Ctx() scope: RequestScope, @Root() { subject, recordId, organizationId, deleted }: CatalogChange) {
    return subject === 'product' && !deleted ? scope.within(organizationId).load(Product, recordId) : null;
  }

  @FieldResolver(() => Brand, { nullable: true, description: 'The current brand; null for other records and after its deletion.' })
  brand(@Ctx() scope: RequestScope, @Root() { subject, recordId, organizationId, deleted }: CatalogChange) {
    return subject === 'brand' && !deleted ? scope.within(organizationId).load(Brand, recordId) : null;
  }

  @FieldResolver(() => Category, {
    nullable: true,
    description: 'The current category; null for other records and after its deletion.',
  })
  category(@Ctx() scope: RequestScope, @Root() { subject, recordId, organizationId, deleted }: CatalogChange) {
    return subject === 'category' && !deleted ? scope.within(organizationId).load(Category, recordId) : null;
  }
}
