import { readRows } from '../../../platform/database/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Product } from './entity.ts';
import type { ListedProduct } from './product-list.ts';
import { joined, LIST_COLUMNS } from './product-list.ts';

const MAX_WORDS = 16;
/** Matches that are ranked. A search with more matches returns the best of some of them. */
const CANDIDATES = 500;

const WORDS = 'catalog.product_words(sku, name, manufacturer, mpn, brand, category)';

/** Parses each word apart, as it is and as its stem. Words such as "the" have no stem and do not count. */
const PARSE = `
  select string_agg('(' || query::text || ')', ' & ') as every, string_agg('(' || query::text || ')', ' | ') as some
    from (select plainto_tsquery('simple', word) || plainto_tsquery('english', word) as query from unnest($1::text[]) word
           where numnode(plainto_tsquery('english', word)) > 0) parsed`;

/** Both keys have an index of their own, so this reads at most two products. */
const EXACT = `
  select id from catalog.products where organization_id = $1 and not archived and (sku = $2 or external_id = $2) order by sku = $2 desc limit $3`;

const MATCHING = `
  select id from (select * from catalog.products where organization_id = $1 and not archived and ${WORDS} @@ $2::tsquery limit ${CANDIDATES}) found
   order by ts_rank(${WORDS}, $2::tsquery) desc, length(name), sku limit $3`;

const SIMILAR = `
  select id from (select * from catalog.products where organization_id = $1 and not archived and lower(name) %> lower($2) limit ${CANDIDATES}) found
   order by word_similarity(lower($2), lower(name)) desc, length(name), sku limit $3`;

/**
 * Find products that are not archived by words of their SKU, name, MPN, manufacturer, brand and category. The product with this SKU or external id comes first,
 * then products with all words, then products with some. If there are none, find similar names, because the text may contain a typo.
 */
export async function searchProducts(scope: RequestScope, text: string, limit: number): Promise<ListedProduct[]> {
  const words = (text.match(/[^\s,;]+/g) ?? []).slice(0, MAX_WORDS);
  const [parsed] = await run<{ every: string | null; some: string | null }>(scope, 'product query', PARSE, [words]);
  const find = (name: string, statement: string, query: string) =>
    run<{ id: string }>(scope, name, statement, [scope.organizationId, query, limit]).then((rows) => rows.map(({ id }) => id));
  const ids = new Set<string>();
  if (text.trim()) for (const id of await find('product keys', EXACT, text.trim())) ids.add(id);
  if (parsed?.every) for (const id of await find('product words', MATCHING, parsed.every)) ids.add(id);
  if (parsed?.some && words.length > 1 && ids.size < limit)
    for (const id of await find('product words', MATCHING, parsed.some)) ids.add(id);
  if (ids.size === 0 && text.trim()) for (const id of await find('similar products', SIMILAR, words.join(' '))) ids.add(id);
  return readInOrder(scope, [...ids].slice(0, limit));
}

/** The products with these SKUs that are not archived. */
export const findBySkus = (scope: RequestScope, skus: readonly string[]): Promise<ListedProduct[]> =>
  readRows(scope, Product, { columns: LIST_COLUMNS, joined, where: { sku: [...skus], archived: false } });

async function readInOrder(scope: RequestScope, ids: string[]): Promise<ListedProduct[]> {
  if (ids.length === 0) return [];
  const found = await readRows(scope, Product, { columns: LIST_COLUMNS, joined, where: { id: ids } });
  const byId = new Map(found.map((each) => [each.id, each]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function run<T extends object>({ services, signal, budget }: RequestScope, name: string, text: string, values: unknown[]) {
  const { rows } = await services.statements.run<T>({ name, text, values }, signal, budget);
  return rows;
}
