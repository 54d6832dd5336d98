import { Authorized, Ctx, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { type Bind, clock, column, columns, findById, hidden, Owned, readRows, Table } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { OutboundRefused, readImage } from '../../../platform/outbound/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { NullIsAnswer } from '../../../platform/subgraph/index.ts';
import { Product } from './entity.ts';

@ObjectType({ description: 'An image of a product, from a page that a job read. The service stores its URL, not its bytes.' })
@Table('catalog.product_images')
export class ProductImage extends columns(Owned, {
  productId: hidden('uuid'),
  url: column('text'),
  sourceUrl: column('text', 'The page that shows the image.'),
  alt: column('text', { nullable: true, description: 'Alternative text of the image on the page.' }),
  mime: column('text', 'Detected from the bytes.'),
  bytes: column('integer', 'Size in bytes.'),
  contentHash: column('text', 'SHA-256 of the bytes.'),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

const MAX_IMAGES = 100;
/** Bytes of a picture that an answer contains. */
const MAX_SHOWN = 1_000_000;
/** Characters of a byte in an answer. */
const BASE64 = 4 / 3;

@Resolver(() => Product)
export class ProductImageResolver {
  @ListSize(MAX_IMAGES)
  @FieldResolver(() => [ProductImage], { description: 'Images that jobs found, oldest first, at most 100.' })
  images(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Product): Promise<ProductImage[]> {
    return imagesOf(scope.within(organizationId), id);
  }
}

@Resolver()
export class ImageContentResolver {
  @Authorized('member')
  @NullIsAnswer()
  @Query(() => String, {
    nullable: true,
    description:
      'The picture of a product as a `data:` URL, read from its address now. Null if it cannot be read, has changed, or has more than 1 MB.',
  })
  productImageContent(@Ctx() scope: RequestScope, @Id() id: string): Promise<string | null> {
    return readContent(scope, id);
  }
}

/** Throws `NOT_FOUND`. */
async function readContent(scope: RequestScope, id: string): Promise<string | null> {
  const { url, bytes, contentHash } = await findById(scope.em, ProductImage, id, 'Image');
  if (bytes > MAX_SHOWN) return null;
  // Before it is fetched, because an operation can name a picture many times.
  scope.budget?.read(bytes * BASE64);
  try {
    const image = await readImage(scope.services.outbound, scope.organizationId, url, scope.signal, MAX_SHOWN);
    return image.contentHash === contentHash ? `data:${image.mime};base64,${image.bytes.toString('base64')}` : null;
  } catch (error) {
    if (error instanceof OutboundRefused) return null;
    throw error;
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
