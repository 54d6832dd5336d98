import type { TypedDocumentNode } from 'urql';
import type { BrandListQuery, BrandListQueryVariables, BrandPageQuery } from '../../.graph/graphql.ts';
import { graphql } from '../graph/graph-hooks.ts';

export type Subject = 'brand' | 'category';

const BRANDS = graphql(`
  query BrandList($page: Int!, $limit: Int!, $search: String!, $sortBy: LabelSort!, $sortOrder: SortOrder!) {
    labels: brands(page: $page, limit: $limit, search: $search, sortBy: $sortBy, sortOrder: $sortOrder) {
      nodes { id name productCount enrichedCount totalCount: productCount record: brand { id slug } move { id fromName toName total moved } }
      pagination { total }
    }
  }
`);
const CATEGORIES = graphql(`
  query CategoryList($page: Int!, $limit: Int!, $search: String!, $sortBy: LabelSort!, $sortOrder: SortOrder!) {
    labels: categories(page: $page, limit: $limit, search: $search, sortBy: $sortBy, sortOrder: $sortOrder) {
      nodes { id name productCount enrichedCount totalCount record: category { id slug } move { id fromName toName total moved } }
      pagination { total }
    }
  }
`);
/** One level of the tree: the categories on top, or those below one. */
export const LEVEL = graphql(`
  query CategoryLevel($page: Int!, $limit: Int!, $search: String!, $sortBy: LabelSort!, $sortOrder: SortOrder!, $parentId: ID, $isTop: Boolean!) {
    labels: categories(
      page: $page, limit: $limit, search: $search, sortBy: $sortBy, sortOrder: $sortOrder, parentId: $parentId, isTop: $isTop
    ) {
      nodes { id name productCount enrichedCount totalCount record: category { id slug } move { id fromName toName total moved } }
      pagination { total }
    }
  }
`);
const BRAND = graphql(`
  query BrandPage($id: ID!) {
    label: brand(id: $id) {
      id name productCount enrichedCount totalCount: productCount
      record: brand { id slug createdAt }
      move { id fromName toName total moved }
      values {
        slug attributeName attributeType value confidence sourceKind sourceUrl snippet at itemId job { id }
        attribute { id name type options unit }
      }
    }
    attributes(subject: brand) { id slug name type options unit isActive }
  }
`);
const CATEGORY = graphql(`
  query CategoryPage($id: ID!) {
    label: category(id: $id) {
      id name productCount enrichedCount totalCount
      record: category { id slug createdAt }
      move { id fromName toName total moved }
      values {
        slug attributeName attributeType value confidence sourceKind sourceUrl snippet at itemId job { id }
        attribute { id name type options unit }
      }
    }
    attributes(subject: category) { id slug name type options unit isActive }
  }
`);
const CREATE_BRAND = graphql(
  `mutation NewBrand($name: String!, $slug: String) { made: createBrand(name: $name, slug: $slug) { created } }`,
);
const CREATE_CATEGORY = graphql(
  `mutation NewCategory($name: String!, $slug: String) { made: createCategory(name: $name, slug: $slug) { created } }`,
);
const RENAME_BRAND = graphql(
  `mutation RenameBrand($id: ID!, $name: String!, $slug: String) { changed: renameBrand(id: $id, name: $name, slug: $slug) { id name move { id } } }`,
);
const RENAME_CATEGORY = graphql(
  `mutation RenameCategory($id: ID!, $name: String!, $slug: String) { changed: renameCategory(id: $id, name: $name, slug: $slug) { id name move { id } } }`,
);
const MERGE_BRAND = graphql(
  `mutation MergeBrand($id: ID!, $intoId: ID!) { changed: mergeBrand(id: $id, intoId: $intoId) { id name move { id } } }`,
);
const MERGE_CATEGORY = graphql(
  `mutation MergeCategory($id: ID!, $intoId: ID!) { changed: mergeCategory(id: $id, intoId: $intoId) { id name move { id } } }`,
);
const PREVIEW_BRAND = graphql(`
  query BrandMerge($id: ID!, $intoId: ID!) {
    preview: brandMergePreview(id: $id, intoId: $intoId) { fromName intoName products categories enrichments slug values }
  }
`);
const PREVIEW_CATEGORY = graphql(`
  query CategoryMerge($id: ID!, $intoId: ID!) {
    preview: categoryMergePreview(id: $id, intoId: $intoId) { fromName intoName products categories enrichments slug values }
  }
`);
const DELETE_BRAND = graphql(`mutation DeleteBrand($id: ID!) { deleteBrand(id: $id) { id } }`);
const DELETE_CATEGORY = graphql(`mutation DeleteCategory($id: ID!) { deleteCategory(id: $id) { id } }`);
const WRITE_BRAND = graphql(`
  mutation WriteBrandValue($id: ID!, $attributes: AttributeValues!, $remove: [String!]!) {
    updateBrandValues(id: $id, attributes: $attributes, remove: $remove) { id }
  }
`);
const WRITE_CATEGORY = graphql(`
  mutation WriteCategoryValue($id: ID!, $attributes: AttributeValues!, $remove: [String!]!) {
    updateCategoryValues(id: $id, attributes: $attributes, remove: $remove) { id }
  }
`);
const BRAND_HISTORY = graphql(`
  query BrandHistory($id: ID!, $page: Int!) {
    label: brand(id: $id) {
      id
      enrichments(page: $page, limit: 20) {
        nodes { id status completedAt createdAt errorMessage enrichedData job { id modelType } }
        pagination { page totalPages }
      }
    }
  }
`);
const CATEGORY_HISTORY = graphql(`
  query CategoryHistory($id: ID!, $page: Int!) {
    label: category(id: $id) {
      id
      enrichments(page: $page, limit: 20) {
        nodes { id status completedAt createdAt errorMessage enrichedData job { id modelType } }
        pagination { page totalPages }
      }
    }
  }
`);

/** The operations of brands and categories. Those of categories have the same shape. */
export const operations = {
  brand: {
    list: BRANDS,
    page: BRAND,
    create: CREATE_BRAND,
    rename: RENAME_BRAND,
    merge: MERGE_BRAND,
    preview: PREVIEW_BRAND,
    remove: DELETE_BRAND,
    write: WRITE_BRAND,
    history: BRAND_HISTORY,
  },
  category: {
    list: CATEGORIES as unknown as TypedDocumentNode<BrandListQuery, BrandListQueryVariables>,
    page: CATEGORY as unknown as typeof BRAND,
    create: CREATE_CATEGORY as unknown as typeof CREATE_BRAND,
    rename: RENAME_CATEGORY as unknown as typeof RENAME_BRAND,
    merge: MERGE_CATEGORY as unknown as typeof MERGE_BRAND,
    preview: PREVIEW_CATEGORY as unknown as typeof PREVIEW_BRAND,
    remove: DELETE_CATEGORY as unknown as typeof DELETE_BRAND,
    write: WRITE_CATEGORY as unknown as typeof WRITE_BRAND,
    history: CATEGORY_HISTORY as unknown as typeof BRAND_HISTORY,
  },
};

/** A brand or category in a list. */
export type Listed = BrandListQuery['labels']['nodes'][number];
export type LabelPage = BrandPageQuery;
export type LabelDetail = BrandPageQuery['label'];

/** Addresses and limits that differ. */
export const settingsOf = {
  brand: { path: 'brands', page: 'brands', kind: 'brand-enrichment', maxLength: 128 },
  category: { path: 'categories', page: 'categories', kind: 'product-category-enrichment', maxLength: 1_024 },
} as const;

/** The last level of a path. */
export const leafOf = (name: string): string => {
  const levels = name.split('>').map((level) => level.trim());
  return levels.some((level) => !level) ? name : levels.at(-1)!;
};
