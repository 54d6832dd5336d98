import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Extraction } from './extraction.ts';

/** Stores the URL and metadata of images, not their bytes. */
export async function storeImages({ em, organizationId }: Scope, productId: string, images: Extraction['images']): Promise<void> {
  for (const { url, sourceUrl, alt, mime, bytes, contentHash } of images) {
    await query(
      em,
      sql`insert into catalog.product_images (id, organization_id, product_id, url, source_url, alt, mime, bytes, content_hash)
          select gen_random_uuid(), organization_id, id, ${url}, ${sourceUrl}, ${alt}, ${mime}, ${bytes}::int, ${contentHash}
            from catalog.products where id = ${productId} and organization_id = ${organizationId}
          on conflict (product_id, content_hash) do nothing`,
    );
  }
}
