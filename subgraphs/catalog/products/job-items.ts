import { query, readRows, requireAll, sql } from '../../../platform/database/index.ts';
import { SOURCE_BUDGET } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fitTexts } from '../../../schema/text.ts';
import type { JobItem } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/job-kind.ts';
import type { Items } from '../jobs/service.ts';
import { Product } from './entity.ts';

/** Limit of the bytes of all `userProvidedRawDataSources` of one product. */
const MAX_SOURCE_BYTES = 1_000_000;

/** A fault if the sources of one product are too large together. */
export function* sourceFaults(sources: unknown, path: string): Generator<string> {
  if (!Array.isArray(sources)) return;
  const bytes = sources.reduce((sum: number, each) => sum + (typeof each === 'string' ? Buffer.byteLength(each) : 0), 0);
  if (bytes > MAX_SOURCE_BYTES) yield `${path} must have at most ${MAX_SOURCE_BYTES} bytes together`;
}

/** SQL for the sources of the product `r` within a budget of characters. */
export const boundedSources = (characters: number): string => `catalog.fit_texts(r.user_provided_raw_data_sources, ${characters})`;

/** The record of a product and its sources. */
const PRODUCT_COLUMNS = [
  ...(['id', 'sku', 'name', 'manufacturer', 'mpn', 'brand', 'category'] as const),
  ...(['attributes', 'provenance'] as const),
];
const joined = { userProvidedRawDataSources: boundedSources(MAX_SOURCE_BYTES) };
/** Characters of the sources that an item holds: what one request may have, and as much again for addresses. */
const HELD_CHARACTERS = 2 * SOURCE_BUDGET;

/** The product of an item. Throws `ItemFailure` if it was deleted. */
export async function productOf(scope: Scope, item: JobItem): Promise<Product> {
  const [product] = await readRows(scope, Product, { columns: PRODUCT_COLUMNS, joined, where: { id: item.productId! } });
  if (!product) throw new ItemFailure('Product not found');
  return { ...product, userProvidedRawDataSources: fitTexts(product.userProvidedRawDataSources, HELD_CHARACTERS) };
}

/**
 * Products as the items of a new job. Parents run in a later phase, because they are aggregated from their variants. The item of a product
 * that was deleted meanwhile fails.
 * @param gapInputs a hash of what each product has to read, in the job of a rule that fills gaps
 */
export const productItems = (ids: string[], gapInputs: string[] = []): Items => ({
  count: ids.length,
  insert: ({ em, organizationId }, jobId) =>
    query(
      em,
      sql`insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, phase, product_id, gap_inputs)
          select gen_random_uuid(), ${organizationId}, ${jobId}, n - 1, row_number() over (order by phase, n) - 1, phase, given.id, given.inputs
            from unnest(${ids}::uuid[], ${gapInputs}::bigint[]) with ordinality as given (id, inputs, n) left join catalog.products p on p.id = given.id
            cross join lateral (select coalesce(p.is_parent, false)::int as phase) planned`,
    ),
});

/** The distinct ids of the products. Throws `NOT_FOUND` with `missingIds` unless all exist in the organization. */
export async function requireProducts({ em, organizationId }: Scope, ids: readonly string[]): Promise<string[]> {
  // Plain rows, because a market analysis has no maximum number of products.
  const found = await requireAll(ids, 'Product', (known) =>
    query(
      em,
      sql<{ id: string }>`select id from catalog.products where organization_id = ${organizationId} and id = any(${known}::uuid[])`,
    ),
  );
  return found.map(({ id }) => id);
}
