import { table } from '../route.ts';
import { catalog } from '../surfaces.ts';
import { jobTable } from './product-jobs.ts';

const notFound = { NOT_FOUND: 'Product not found' };
const conflict = { CONFLICT: 'Products with these SKUs/externalIds already exist: DRILL-18V' };
const drill = { sku: 'DRILL-18V', name: 'Cordless drill 18 V', brand: 'Norrvik' };
const one = { params: { organization: 'acme', product_id: '0199a000-0000-7000-8000-000000000001' } };

export const products = table(catalog, {
  'POST /products/create': {
    summary: 'Create a product',
    graphql: `mutation ($input: NewProduct!) {
      createProduct(input: $input) { id sku name manufacturer brand mpn category createdAt }
    }`,
    example: { params: { organization: 'acme' }, body: drill },
    errors: { ...notFound, ...conflict },
  },
  'POST /products/bulk-create': {
    summary: 'Create up to 1,000 products, all or none',
    graphql: `mutation ($products: [NewProduct!]!) { createProducts(products: $products) { created } }`,
    example: { params: { organization: 'acme' }, body: { products: [drill] } },
    errors: { ...notFound, ...conflict },
  },
  'POST /products/get': {
    summary: 'List products',
    graphql: `query ($page: Int = 1, $limit: Int = 10, $search: String = "", $sortBy: ProductSort = createdAt, $sortOrder: SortOrder = desc,
                     $parentFilter: ParentFilter = "all", $enrichedFilter: EnrichedFilter = "all") {
      products(page: $page, limit: $limit, search: $search, sortBy: $sortBy, sortOrder: $sortOrder, parentFilter: $parentFilter,
               enrichedFilter: $enrichedFilter) {
        products: nodes { id sku name manufacturer brand category parentId parentName isParent createdAt }
        pagination { page limit total totalPages }
      }
    }`,
    example: { params: { organization: 'acme' }, body: { search: 'drill', limit: 20 } },
  },
  'POST /products/{product_id}/get': {
    summary: 'Read a product',
    graphql: `query ($product_id: ID!) {
      product(id: $product_id) { id sku name manufacturer brand mpn category parentId isParent createdAt updatedAt }
    }`,
    example: one,
    errors: notFound,
  },
  'POST /products/{product_id}/update': {
    summary: 'Update a product',
    description: '`sku` and `name` are required. Other fields stay unchanged when absent; null clears them.',
    graphql: `mutation ($product_id: ID!, $sku: String!, $name: String!, $manufacturer: String, $mpn: String, $brand: String, $category: String,
                        $externalId: String, $parentId: ID, $isParent: Boolean, $userProvidedRawDataSources: [String!]) {
      updateProduct(id: $product_id, input: {
        sku: $sku, name: $name, manufacturer: $manufacturer, mpn: $mpn, brand: $brand, category: $category, externalId: $externalId,
        parentId: $parentId, isParent: $isParent, userProvidedRawDataSources: $userProvidedRawDataSources
      }) { id sku name brand updatedAt }
    }`,
    example: { ...one, body: { sku: 'DRILL-18V', name: 'Cordless drill 18 V, 2 Ah' } },
    errors: { ...notFound, ...conflict },
  },
  'POST /products/{product_id}/delete': {
    summary: 'Delete a product',
    description: 'Variants of a deleted parent are detached.',
    graphql: `mutation ($product_id: ID!) { deleteProduct(id: $product_id) { id deleted } }`,
    example: one,
    errors: notFound,
  },
  'POST /products/{product_id}/update-attributes': {
    summary: 'Update attribute values of a product',
    description: '`product_id` is an id or an external id. Only the sent attributes change.',
    graphql: `mutation ($product_id: ID!, $attributes: AttributeValues!) {
      updateProductAttributes(id: $product_id, attributes: $attributes) { id sku name attributes updatedAt }
    }`,
    example: { ...one, body: { attributes: { weight: { attributeName: 'Weight', attributeType: 'number', value: 1.4 } } } },
    errors: notFound,
  },
  'POST /products/{product_id}/enrichment-history': {
    summary: 'List the enrichments of a product, newest first',
    graphql: `query ($product_id: ID!, $page: Int = 1, $limit: Int = 10) {
      enrichmentHistory(productId: $product_id, page: $page, limit: $limit) {
        history: nodes { id productId enrichedAt attributes }
        pagination { page limit total totalPages }
      }
    }`,
    example: { ...one, body: { page: 1 } },
    errors: notFound,
  },
  'POST /products/{product_id}/validation-history': {
    summary: 'List the validations of a product, newest first',
    graphql: `query ($product_id: ID!, $page: Int = 1, $limit: Int = 10) {
      validationHistory(productId: $product_id, page: $page, limit: $limit) {
        history: nodes { id productId validatedAt overallScore }
        pagination { page limit total totalPages }
      }
    }`,
    example: { ...one, body: { page: 1 } },
    errors: notFound,
  },
});

export const attributeSets = table(catalog, {
  'POST /attribute-sets': {
    summary: 'List the attribute sets for products, sorted by name',
    graphql: `query {
      attributeSets {
        id name organizationId
        attributeSetAttributes { order attribute { id name slug type prompt categoryPrompt isActive } }
      }
    }`,
    envelope: { with: { success: true }, under: 'data.attributeSets' },
    example: { params: { organization: 'acme' }, body: {} },
  },
});

const example = { params: { organization: 'acme', job_id: '0199a000-0000-7000-8000-000000000001' } };

/** The files of exports, which the graph starts. */
export const productExports = jobTable({
  'GET /product-export-jobs/{job_id}/download': {
    summary: 'Download the file of a product export job',
    description:
      'CSV or JSON lines, as the job was started with `createProductExportJob`. An import reads the CSV file back. Cells that a spreadsheet program would run as formulas start with an apostrophe, which an import removes.',
    graphql: `query ($job_id: ID!, $after: String) {
      productExportFile(jobId: $job_id, after: $after) { name type text next }
    }`,
    reply: 'file',
    fileTypes: ['text/csv', 'application/x-ndjson'],
    example,
    errors: { NOT_FOUND: 'Job not found', UNPROCESSABLE: 'The export has not completed.' },
  },
});
