import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { type Bind, clock, Owned, readRows } from '../../../platform/database/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Product } from './entity.ts';

@ObjectType({ description: 'An image of a product, from a page that a job read. The service stores its URL, not its bytes.' })
@Entity({ schema: 'catalog', tableName: 'product_images' })
export class ProductImage extends Owned {
  @Property({ type: 'uuid' })
  productId!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  url!: string;

  @Field(() => String, { description: 'The page that shows the image.' })
  @Property({ type: 'text' })
  sourceUrl!: string;

  @Field(() => String, { nullable: true, description: 'Alternative text of the image on the page.' })
  @Property({ type: 'text', nullable: true })
  alt: string | null = null;

  @Field(() => String, { description: 'Detected from the bytes.' })
  @Property({ type: 'text' })
  mime!: string;

  @Field(() => Int, { description: 'Size in bytes.' })
  @Property({ type: 'integer' })
  bytes!: number;

  @Field(() => String, { description: 'SHA-256 of the bytes.' })
  @Property({ type: 'text' })
  contentHash!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
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
