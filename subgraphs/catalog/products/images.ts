import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestScope } from '../../common/scope.ts';
import { Owned } from '../../common/tenant.ts';
import { Product } from './entity.ts';

@ObjectType({ description: 'A picture of a product, found on a page that a job read. The bytes stay where they are.' })
@Entity({ schema: 'catalog', tableName: 'product_images' })
export class ProductImage extends Owned {
  @Property({ type: 'uuid' })
  productId!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  url!: string;

  @Field(() => String, { description: 'The page it was found on.' })
  @Property({ type: 'text' })
  sourceUrl!: string;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  alt: string | null = null;

  @Field(() => String, { description: 'What the bytes are, whatever the address says.' })
  @Property({ type: 'text' })
  mime!: string;

  @Field(() => Int)
  @Property({ type: 'integer' })
  bytes!: number;

  @Field(() => String, { description: 'SHA-256 of the bytes.' })
  @Property({ type: 'text' })
  contentHash!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();
}

@Resolver(() => Product)
export class ProductImageResolver {
  @FieldResolver(() => [ProductImage], { description: 'Pictures that jobs found, oldest first; at most 100.' })
  images(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Product): Promise<ProductImage[]> {
    return imagesOf(scope.within(organizationId), id);
  }
}

async function imagesOf(scope: RequestScope, productId: string): Promise<ProductImage[]> {
  const read = scope.batch('product images', async (ids) => {
    const where = { productId: { $in: ids } };
    const found = await scope.em
      .fork()
      .find(ProductImage, where, { orderBy: { createdAt: 'asc', id: 'asc' }, limit: 100 * ids.length });
    return Map.groupBy(found, (image) => image.productId);
  });
  return ((await read(productId)) ?? []).slice(0, 100);
}
