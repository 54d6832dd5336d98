/** A product in the result of a search. */
export interface FoundProduct {
  sku: string;
  name: string;
  brand: string | null;
  category: string | null;
  isParent: boolean;
}

/** A product with its values, as the graph returns it. */
export interface ReadProduct extends FoundProduct {
  manufacturer: string | null;
  mpn: string | null;
  parent: { sku: string; name: string } | null;
  variants: { sku: string; name: string }[];
  values: ReadValue[];
}

export interface ReadValue {
  slug: string;
  attributeName: string;
  attributeType: string;
  value: string | number | boolean | string[] | null;
  unit: string | null;
  /** Null if a caller of the API wrote the value, which then has no evidence. */
  confidence: number | null;
  sourceUrl: string | null;
  snippet: string | null;
}

const PRODUCT = 'sku name brand category isParent';

/** Every operation that agents run in the graph. The gateway accepts no others from a separate agent process. */
export const catalogOperations = {
  search: `query AgentSearchesProducts($query: String!, $limit: Int!) { products: searchProducts(query: $query, limit: $limit) { ${PRODUCT} } }`,
  read: `query AgentReadsProduct($sku: String!) {
    product(sku: $sku) {
      ${PRODUCT} manufacturer mpn parent { sku name } variants { sku name }
      values { slug attributeName attributeType value unit confidence sourceUrl snippet }
    }
  }`,
} as const;
