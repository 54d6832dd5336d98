/** Differences between the organizations: their size, and ids of rows in the middle. */
export interface Side {
  count: number;
  product: string;
  products: string[];
  parent: string;
  job: string;
  webhook: string;
  creator: string;
  /** `endCursor` of the page in the middle. */
  cursor: string;
  /** The same in the order of completeness. */
  sortedCursor: string;
}

/** A request: a body of `POST /products/get`, a path with a body, or a GraphQL query with its variables. */
export type Request = { search: object } | { path: string; body?: object } | { query: string; variables?: object };

const products = (filter: object, fields = 'endCursor') => ({
  query: `query ($filter: ProductFilter) { products(filter: $filter) { nodes { id sku name } ${fields} } }`,
  variables: { filter },
});
const TOTAL = 'pagination { total }';
const color = (value: string) => ({ attribute: { slug: 'color', value } });
const middle = (count: number) => Math.floor(count / 20);

const byCompleteness = (sortOrder: 'asc' | 'desc', variables: object = {}) => ({
  query: `query ($sortOrder: SortOrder!, $page: Int = 1, $after: String, $filter: ProductFilter) {
    products(orderBy: completeness, sortOrder: $sortOrder, page: $page, after: $after, filter: $filter) {
      nodes { id sku name completeness { percent } } endCursor ${TOTAL} } }`,
  variables: { sortOrder, ...variables },
});
const changes = (after: string | null = null) => ({
  query: 'query ($after: String) { catalogChanges(after: $after) { changes { recordId deleted product { sku } } cursor hasMore } }',
  variables: { after },
});
const gaps = (selection: object) => ({
  query: 'query ($input: GapRuleInput!) { gapEstimate(input: $input) { products gaps checked } }',
  variables: {
    input: {
      name: 'Gaps',
      selection,
      modelType: 'budget-v1',
      websearch: false,
      agreement: false,
      maxCredits: 100,
      triggers: ['nightly'],
    },
  },
});
const preview = (selection: object) => ({
  query: `query ($selection: ProductSelection!, $edits: [ProductEditInput!]!) {
    productEditPreview(selection: $selection, edits: $edits) { products checked changed changes { sku } } }`,
  variables: { selection, edits: [{ field: 'brand', action: 'set', value: 'Norrvik' }] },
});

/** Each list that a screen or a REST caller needs. */
export const LISTS: Record<string, (side: Side) => Request> = {
  'first page': () => ({ search: {} }),
  'first page by name': () => ({ search: { sortBy: 'name', sortOrder: 'asc' } }),
  'page in the middle': ({ count }) => ({ search: { page: middle(count) } }),
  'page in the middle by name': ({ count }) => ({ search: { page: middle(count), sortBy: 'name', sortOrder: 'asc' } }),
  'page in the middle by brand': ({ count }) => ({ search: { page: middle(count), sortBy: 'brand', sortOrder: 'asc' } }),
  'page in the middle of enriched products': ({ count }) => ({ search: { page: middle(count / 3), enrichedFilter: 'enriched' } }),
  'last page': ({ count }) => ({ search: { page: count / 10 } }),
  'page by cursor in the middle': ({ cursor }) => ({
    query: 'query ($after: String) { products(after: $after) { nodes { id sku name } endCursor } }',
    variables: { after: cursor },
  }),
  "search with many hits, 'lamp'": () => ({ search: { search: 'lamp' } }),
  "search with many hits by name, 'lamp'": () => ({ search: { search: 'lamp', sortBy: 'name', sortOrder: 'asc' } }),
  "search of two letters, 'la'": () => ({ search: { search: 'la' } }),
  'search with few hits': () => ({ search: { search: 'workshop 17' } }),
  'search without hits': () => ({ search: { search: 'qzx' } }),
  'search of a SKU': () => ({ search: { search: 'SKU-0000042' } }),
  'search of a SKU among parents': () => ({ search: { search: 'SKU-0000040', parentFilter: 'parent' } }),
  'best matches of words': () => ({ query: '{ searchProducts(query: "compact lamp kitchen") { sku } }' }),
  'best matches of a SKU': () => ({ query: '{ searchProducts(query: "SKU-0000042") { sku } }' }),
  'product by SKU': () => ({ query: '{ product(sku: "SKU-0000042") { id } }' }),
  'product by external id': () => ({ query: '{ product(externalId: "erp-42") { id } }' }),
  'products by ids': ({ products: ids }) => products({ ids }, TOTAL),
  'products by brand': () => products({ brand: 'Lumen' }),
  'products by brand, with total': () => products({ brand: 'Lumen' }, TOTAL),
  'products by category': () => products({ category: 'Home > Desk lamp > 5' }),
  'variants of a parent': ({ parent }) => products({ parentId: parent }, TOTAL),
  'products by attribute value': () => products(color('red')),
  'products by rare attribute value': () => products(color('ultraviolet'), TOTAL),
  'products without an attribute': () => products({ missingAttribute: 'weight' }),
  'products without an attribute, rarely': () => products({ missingAttribute: 'color' }, TOTAL),
  'products by confidence': () => products({ confidenceBelow: 50 }),
  'products changed since': () => products({ updatedSince: '2020-01-01T00:00:00Z' }),
  'first page by completeness': () => byCompleteness('asc'),
  'first page by completeness, descending': () => byCompleteness('desc'),
  'page in the middle by completeness': ({ count }) => byCompleteness('asc', { page: middle(count) }),
  'page by cursor in the middle by completeness': ({ sortedCursor }) => byCompleteness('asc', { after: sortedCursor }),
  'products of a brand by completeness': () => byCompleteness('desc', { filter: { brand: 'Lumen' } }),
  'incomplete products by completeness': () => byCompleteness('desc', { filter: { completenessBelow: 60 } }),
  'incomplete products': () => products({ completenessBelow: 60 }, TOTAL),
  'incomplete products, rarely': () => products({ completenessBelow: 10 }, TOTAL),
  'completeness of the catalog': () => ({
    query:
      '{ catalogStats { completeness { products complete percent requiredPercent } completenessDays(days: 30) { day percent } } }',
  }),
  'completeness of categories': () => ({
    query: '{ categories(sortBy: productCount, sortOrder: desc) { nodes { name completeness { percent complete } } } }',
  }),
  'first changes of the catalog': () => changes(),
  'changes of the catalog in the middle': ({ count }) => changes(`${count + middle(10 * count)}-${2 * count}`),
  'deletions in the middle': ({ count }) => changes(String(middle(10 * count))),
  'no changes of the catalog': ({ count }) => changes(String(2 * count)),
  'preview of a bulk edit of all products': () => preview({ filter: {} }),
  'preview of a bulk edit of a brand': () => preview({ filter: { brand: 'Lumen' } }),
  'preview of a bulk edit of a category': () => preview({ filter: { category: 'Home > Desk lamp > 5' } }),
  'gaps of few products': () => gaps({ attributes: [{ slug: 'color', value: 'ultraviolet' }] }),
  'enrichment history': ({ product }) => ({ path: `products/${product}/enrichment-history`, body: {} }),
  'validation history': ({ product }) => ({ path: `products/${product}/validation-history`, body: {} }),
  'jobs of a product': ({ product }) => ({ query: `{ product(id: "${product}") { jobs { nodes { id } } } }` }),
  'jobs of all kinds': () => ({ query: `{ jobs { nodes { id kind status } ${TOTAL} } }` }),
  'jobs by status': () => ({ query: `{ jobs(status: [stopped]) { nodes { id kind status } ${TOTAL} } }` }),
  'jobs by kind': () => ({ path: 'product-validation-jobs/get', body: {} }),
  'jobs by date': () => ({ query: '{ jobs(createdBefore: "2100-01-01T00:00:00Z") { nodes { id kind } endCursor } }' }),
  'jobs by creator': ({ creator }) => ({ query: `{ jobs(createdBy: "${creator}") { nodes { id kind } endCursor } }` }),
  'items of a job': ({ job }) => ({ path: `product-enrichment-jobs/${job}/items/get`, body: {} }),
  'uploaded files': () => ({ query: '{ uploadedFiles { nodes { id name } endCursor } }' }),
  'deliveries by status': ({ webhook }) => ({
    query: `{ webhookDeliveries(webhookId: "${webhook}", status: failed) { nodes { id } } }`,
  }),
  'review queue': () => ({ query: `{ reviewQueue { nodes { productId confidence } ${TOTAL} endCursor } }` }),
  'review queue of an attribute': () => ({
    query: `{ reviewQueue(filter: { attribute: "color" }) { nodes { productId } ${TOTAL} } }`,
  }),
  'review queue of a category': () => ({
    query: '{ reviewQueue(filter: { category: "Home > Desk lamp > 5" }) { nodes { productId } endCursor } }',
  }),
  'review queue by confidence': () => ({
    query: '{ reviewQueue(filter: { confidenceBelow: 30 }) { nodes { productId } endCursor } }',
  }),
  'review queue of a job': ({ job }) => ({
    query: `{ reviewQueue(filter: { jobId: "${job}" }) { nodes { productId } endCursor } }`,
  }),
  brands: () => ({ query: `{ brands(sortBy: productCount, sortOrder: desc) { nodes { name } ${TOTAL} } }` }),
  categories: () => ({ query: `{ categories(search: "lamp") { nodes { name } ${TOTAL} } }` }),
  'numbers of the catalog': () => ({
    query: '{ catalogStats { products enriched brands { name } attributes { filled meanConfidence } } }',
  }),
  'numbers of the jobs': () => ({ query: '{ jobStats { kind status count } reviewCount }' }),
  'use of credits by day': () => ({ query: '{ creditUsage(by: day) { total rows { day } } }' }),
  'credit ledger': () => ({ query: `{ organization { creditEntries { nodes { id } ${TOTAL} } } }` }),
};
