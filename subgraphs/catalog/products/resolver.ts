import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { readRows } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access, Organization } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { type AttributeValues, AttributeValuesScalar } from '../attributes/attribute-content.ts';
import { ProvenanceType, provenanceList, USUAL_PROVENANCE } from '../attributes/value-types.ts';
import { JobItem } from '../jobs/entity.ts';
import { Product } from './entity.ts';
import { deleteProduct } from './product-deletion.ts';
import * as details from './product-list.ts';
import { joined, LIST_COLUMNS, type ListedProduct, listProducts } from './product-list.ts';
import * as products from './service.ts';
import {
  ArchiveArguments,
  ArchivedProducts,
  CreatedProducts,
  DeletedProduct,
  NewProduct,
  NewProducts,
  ProductChange,
  ProductPage,
  ProductsArguments,
  SearchArguments,
  SkusArguments,
} from './types.ts';

@Access('member')
@Resolver(() => Product)
export class ProductResolver {
  @Query(() => ProductPage, { description: 'The products of the organization.' })
  products(
    @Ctx() scope: RequestScope,
    @Args(() => ProductsArguments) request: ProductsArguments,
    @Info() info: GraphQLResolveInfo,
  ) {
    return listProducts(scope, request, info);
  }

  @Authorized('agent')
  @Query(() => Product, { nullable: true, description: 'One product by exactly one of its id, SKU and external id.' })
  product(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID, { nullable: true }) id?: string | null,
    @Arg('sku', () => String, { nullable: true }) sku?: string | null,
    @Arg('externalId', () => String, { nullable: true }) externalId?: string | null,
  ) {
    return products.findForCaller(scope, { id, sku, externalId });
  }

  @Authorized('agent')
  @Query(() => [Product], {
    description:
      'Products by words of their SKU, name, MPN, manufacturer, brand and category, best first. Finds similar names if no word matches.',
  })
  searchProducts(@Ctx() scope: RequestScope, @Args(() => SearchArguments) { query, limit }: SearchArguments) {
    return searchProducts(scope, query, limit);
  }

  @Authorized('agent')
  @ListSize(50)
  @Query(() => [Product], { description: 'The products with these SKUs that are not archived, in any order.' })
  productsBySku(@Ctx() scope: RequestScope, @Args(() => SkusArguments) { skus }: SkusArguments): Promise<ListedProduct[]> {
    return readRows(scope, Product, { columns: LIST_COLUMNS, joined, where: { sku: [...skus], archived: false } });
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Product, { description: 'Create a product.' })
  createProduct(@Ctx() scope: RequestScope, @Arg('input', () => NewProduct) input: NewProduct) {
    return products.createProduct(scope, input);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => CreatedProducts, { description: 'Create up to 1,000 products. Creates all of them or none.' })
  createProducts(@Ctx() scope: RequestScope, @Args(() => NewProducts) request: NewProducts): Promise<CreatedProducts> {
    return products.createProducts(scope, request.products);
  }

  @Mutation(() => Product, { description: 'Change a product. Omitted fields stay unchanged.' })
  updateProduct(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => ProductChange) input: ProductChange) {
    return products.updateProduct(scope, id, input);
  }

  @Mutation(() => DeletedProduct, {
    description: 'Delete a product. Its variants remain, without a parent. `restoreProducts` restores it for 30 days.',
  })
  deleteProduct(@Ctx() scope: RequestScope, @Id() id: string) {
    return deleteProduct(scope, id);
  }

  @Mutation(() => ArchivedProducts, {
    description: 'Archive up to 1,000 products: all of them or none. They stay readable by id, SKU and external id.',
  })
  async archiveProducts(@Ctx() scope: RequestScope, @Args(() => ArchiveArguments) { ids }: ArchiveArguments) {
    return { changed: await products.setArchived(scope, ids, true) };
  }

  @Mutation(() => ArchivedProducts, { description: 'Bring up to 1,000 archived products back: all of them or none.' })
  async unarchiveProducts(@Ctx() scope: RequestScope, @Args(() => ArchiveArguments) { ids }: ArchiveArguments) {
    return { changed: await products.setArchived(scope, ids, false) };
  }

  @Mutation(() => Product, { description: 'Merge attribute values into those of a product, by slug. Other values stay unchanged.' })
  updateProductAttributes(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID, { description: 'A product id or an external id.' }) id: string,
    @Arg('attributes', () => AttributeValuesScalar) attributes: unknown,
  ) {
    return products.updateAttributes(scope, id, attributes);
  }

  @FieldResolver(() => AttributeValuesScalar)
  attributes(@Ctx() scope: RequestScope, @Root() product: Product): Promise<AttributeValues> | AttributeValues {
    return product.attributes ?? details.attributesOf(scope.within(product.organizationId), product.id);
  }

  @ListSize(USUAL_PROVENANCE)
  @FieldResolver(() => [ProvenanceType], { description: 'The origins of the values that jobs and reviews wrote.' })
  async provenance(@Ctx() scope: RequestScope, @Root() product: Product): Promise<ProvenanceType[]> {
    return provenanceList(product.provenance ?? (await details.provenanceOf(scope.within(product.organizationId), product.id)));
  }

  @FieldResolver(() => [String], { description: 'URLs or texts that an enrichment reads.' })
  userProvidedRawDataSources(@Ctx() scope: RequestScope, @Root() product: Product): Promise<string[]> | string[] {
    return product.userProvidedRawDataSources ?? details.sourcesOf(scope.within(product.organizationId), product.id);
  }

  @FieldResolver(() => Product, { nullable: true })
  async parent(@Ctx() scope: RequestScope, @Root() { parentId, organizationId }: Product) {
    const parent = parentId ? await scope.within(organizationId).load(Product, parentId) : null;
    return parent?.archived && scope.caller.isAgent ? null : parent;
  }

  @FieldResolver(() => String, { nullable: true })
  parentName(@Ctx() scope: RequestScope, @Root() product: ListedProduct) {
    return product.parentName === undefined
      ? details.parentNameOf(scope.within(product.organizationId), product)
      : product.parentName;
  }

  @ListSize(details.MAX_VARIANTS)
  @FieldResolver(() => [Product], { description: 'The variants of a parent, sorted by SKU, at most 1,000.' })
  variants(@Ctx() scope: RequestScope, @Root() { id, isParent, organizationId }: Product) {
    return isParent ? details.variantsOf(scope.within(organizationId), id, { isAgent: scope.caller.isAgent }) : [];
  }
}

@Resolver(() => JobItem)
export class JobItemProductResolver {
  @FieldResolver(() => Product, { nullable: true, description: 'Null if the product was deleted.' })
  product(@Ctx() scope: RequestScope, @Root() { productId, organizationId }: JobItem) {
    return productId ? scope.within(organizationId).load(Product, productId) : null;
  }
}

@Resolver(() => Organization)
export class OrganizationProductsResolver {
  @FieldResolver(() => ProductPage)
  products(
    @Ctx() scope: RequestScope,
    @Root() { id }: Organization,
    @Args(() => ProductsArguments) request: ProductsArguments,
    @Info() info: GraphQLResolveInfo,
  ) {
    return listProducts(scope.within(id), request, info);
  }
}

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
async function searchProducts(scope: RequestScope, text: string, limit: number): Promise<ListedProduct[]> {
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
