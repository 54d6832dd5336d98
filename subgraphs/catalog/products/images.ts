import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Ctx, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { type Bind, clock, FieldProperty, Owned, readRows } from '../../../platform/database/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Product } from './entity.ts';

@ObjectType({ description: 'An image of a product, from a page that a job read. The service stores its URL, not its bytes.' })
@Entity({ schema: 'catalog', tableName: 'product_images' })
export class ProductImage extends Owned {
  @Property({ type: 'uuid' })
  productId!: string;

  @FieldProperty({ type: 'text' })
  url!: string;

  @FieldProperty({ type: 'text', description: 'The page that shows the image.' })
  sourceUrl!: string;

  @FieldProperty({ type: 'text', nullable: true, description: 'Alternative text of the image on the page.' })
  alt: string | null = null;

  @FieldProperty({ type: 'text', description: 'Detected from the bytes.' })
  mime!: string;

  @FieldProperty({ type: 'integer', description: 'Size in bytes.' })
  bytes!: number;

  @FieldProperty({ type: 'text', description: 'SHA-256 of the bytes.' })
  contentHash!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

const MAX_IMAGES = 100;

@Resolver(() => Product)
export class ProductImageResolver {
  @ListSize(MAX_IMAGES)
  @FieldResolver(() => [ProductImage], { description: 'Images that jobs found, oldest first, at most 100.' })
  images(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Product): Promise<ProductImage[]> {
    return imagesOf(scope.within(organizationId), id);
  }
}

async function imagesOf(scope: RequestScope, productId: string): Promise<ProductImage[]> {
  const read = scope.batch('product images', async (ids) => {
    const matching = (bind: Bind) => `r.id in (
      select i.id from unnest(${bind(ids)}::uuid[]) as p (id) cross join lateral (
        select id from catalog.product_images where product_id = p.id order by created_at, id limit ${MAX_IMAGES}
      ) i)`;
    const found = await readRows(scope, ProductImage, { matching, orderBy: { createdAt: 'asc', id: 'asc' } });
    return Map.groupBy(found, (image) => image.productId);
  });
  return (await read(productId)) ?? [];
}
