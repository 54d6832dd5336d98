import { createHash } from 'node:crypto';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { truncate } from '../../../schema/text.ts';
import { identityOf, type ListedProduct } from '../extraction/read-products.ts';
import type { ImportData } from './data.ts';
import type { ImportItem } from './entity.ts';

type NewItem = Pick<ImportItem, 'type' | 'matchKey' | 'name' | 'sku' | 'data'> & { family: string | null };

const folded = (text: string) => text.trim().toLowerCase();
const key = (kind: string, text: string) => `${kind} ${folded(text)}`;
const familyKey = ({ name, sku }: NonNullable<ListedProduct['family']>) => key('family', sku ?? name);

/** Adds the products of a page to the items of the job. Items that another page has added are skipped. */
export async function insertItems(scope: Scope, jobId: string, products: ListedProduct[]): Promise<void> {
  if (products.length === 0) return;
  // Before the items, as all other changes of items do. A page with the same products waits here, so that neither waits for the other.
  await query(scope.em, sql`select id from catalog.jobs where id = ${jobId} for no key update`);
  const families = products.flatMap((each) => (each.family ? [familyItem(each, each.family)] : []));
  await groupFamilies(scope, jobId, families);
  await insertRows(scope, jobId, families);
  const items = products.map(productItem);
  const known = await describeFamilies(scope, jobId, items);
  await insertRows(
    scope,
    jobId,
    items.filter(({ matchKey }) => !known.has(matchKey)),
  );
}

/** A page that ends after the row of a family lists it as a product, because its variants are on the next page. */
async function groupFamilies({ em }: Scope, jobId: string, families: NewItem[]): Promise<void> {
  const skus = families.flatMap(({ sku, matchKey }) => (matchKey === key('family', sku) ? [folded(sku)] : []));
  if (skus.length === 0) return;
  await query(
    em,
    sql`update catalog.import_items i set type = 'family', match_key = 'family ' || g.sku
          from (select distinct sku from unnest(${skus}::text[]) as given (sku)) g
         where i.job_id = ${jobId} and i.match_key = 'sku ' || g.sku and i.type = 'standalone' and i.status <> 'completed'
           and not exists (select 1 from catalog.import_items f where f.job_id = ${jobId} and f.match_key = 'family ' || g.sku)`,
  );
}

/** The keys of items that are families of other pages. Their own rows describe families better than their variants do. */
async function describeFamilies({ em }: Scope, jobId: string, items: NewItem[]): Promise<Set<string>> {
  const rows = items.flatMap(({ type, matchKey, name, sku, data }) =>
    type === 'standalone' && sku ? [{ matchKey, family: key('family', sku), name, sku, data }] : [],
  );
  if (rows.length === 0) return new Set();
  const described = await query(
    em,
    sql<{ matchKey: string }>`with given as (
          select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            as g ("matchKey" text, family text, name text, sku text, data jsonb)
        ), described as (
          update catalog.import_items f set name = g.name, sku = g.sku, data = g.data from given g
           where f.job_id = ${jobId} and f.match_key = g.family and f.status <> 'completed')
        select g."matchKey" from given g join catalog.import_items f on f.job_id = ${jobId} and f.match_key = g.family`,
  );
  return new Set(described.map(({ matchKey }) => matchKey));
}

function familyItem({ brand, category, manufacturer }: ListedProduct, family: NonNullable<ListedProduct['family']>): NewItem {
  const { name } = family;
  const sku = family.sku ?? skuOf(name);
  const data: ImportData = { name, sku, brand, category, manufacturer, mpn: null, variantOptions: {} };
  return { type: 'family', matchKey: familyKey(family), name, sku, data, family: null };
}

function productItem({ family, ...product }: ListedProduct): NewItem {
  const { name } = product;
  const sku = product.sku ?? '';
  const matchKey = sku ? key('sku', sku) : nameKey({ family, ...product });
  return {
    type: family ? 'product' : 'standalone',
    matchKey,
    name,
    sku,
    data: { ...product, sku },
    family: family && familyKey(family),
  };
}

/** The identity of a product without a SKU, ignoring case. Hashed, because an index entry has a maximum size. */
const nameKey = (product: ListedProduct): string =>
  `${key('name', product.name)} ${createHash('sha256').update(identityOf(product).toLowerCase()).digest('hex')}`;

/** The SKU of a family for which the page states none. */
const skuOf = (name: string) =>
  truncate(
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .normalize()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .toUpperCase(),
    64,
  );

async function insertRows({ em, organizationId }: Scope, jobId: string, items: NewItem[]): Promise<void> {
  if (items.length === 0) return;
  const distinct = [...new Map(items.map((each) => [each.matchKey, each])).values()];
  await query(
    em,
    sql`with added as (
          insert into catalog.import_items (organization_id, job_id, parent_item_id, type, match_key, name, sku, data)
          select ${organizationId}, ${jobId}, f.id, g.type, g."matchKey", g.name, g.sku, g.data
            from jsonb_to_recordset(${JSON.stringify(distinct)}::jsonb)
                 as g (type text, family text, "matchKey" text, name text, sku text, data jsonb)
            left join catalog.import_items f on f.job_id = ${jobId} and f.match_key = g.family
          on conflict (job_id, match_key) do nothing returning parent_item_id
        ), counted as (
          update catalog.import_items f set child_count = f.child_count + n
            from (select parent_item_id as id, count(*)::int as n from added where parent_item_id is not null group by 1) as grown
           where f.id = grown.id
        )
        update catalog.jobs set total_extracted = coalesce(total_extracted, 0) + (select count(*)::int from added) where id = ${jobId}`,
  );
}
