import { type Key, type Row, type Table, table } from '../route.ts';
import { catalog } from '../surfaces.ts';
import { jobTable, notInProgress, outOfCredits, spending } from './product-jobs.ts';

const organization = 'acme';
const id = '0199a000-0000-7000-8000-000000000001';
const one = { params: { organization, job_id: id } };
const job = { NOT_FOUND: 'Job not found' };

/** Brands and categories have the same endpoints with different names. */
const words = {
  brand: {
    path: '/brands',
    jobs: '/brand-enrichment-jobs',
    sets: '/brand-attribute-sets',
    plural: 'brands',
    title: 'Brand',
    example: 'Norrvik',
    history:
      'id brandName: label enrichedAttributes: enrichedData referenceData completedAt createdAt modelType status errorMessage',
    kind: 'brand-enrichment',
    input: 'NewBrandEnrichmentJob',
    create: 'createBrandEnrichmentJob',
    job: 'Brand enrichment job',
    inProgress: 'A brand enrichment job is already in progress. Please wait for it to complete before starting a new one.',
  },
  category: {
    path: '/product-categories',
    jobs: '/product-category-jobs',
    sets: '/product-category-attribute-sets',
    plural: 'categories',
    title: 'Category',
    example: 'Cordless drills',
    history: 'id categoryName: label referenceData completedAt createdAt modelType status errorMessage',
    kind: 'product-category-enrichment',
    input: 'NewProductCategoryEnrichmentJob',
    create: 'createProductCategoryEnrichmentJob',
    job: 'Product-category enrichment job',
    inProgress:
      'A product-category enrichment job is already in progress. Please wait for it to complete before starting a new one.',
  },
} as const;

type Rows = Record<Key, Row>;

/** Prefix the paths of rows. */
const below = (path: string, rows: Rows): Rows =>
  Object.fromEntries(Object.entries(rows).map(([key, row]) => [key.replace(/ (\/$)?/, ` ${path}`), row]));

const recordsOf = (label: keyof typeof words): Table => {
  const { path, plural, title, example, history, sets } = words[label];
  const records: Rows = {
    'POST /check': {
      summary: `Check whether a ${label} with this name exists`,
      graphql: `query ($name: String!) { ${label}Exists(name: $name) }`,
      toolName: `check_${label}`,
      envelope: { with: { success: true }, under: 'data.exists' },
      example: { params: { organization }, body: { name: example } },
    },
    'POST /create': {
      summary: `Create a ${label}, or return the existing one with this name`,
      description:
        'Names match case-insensitively. A slug that is taken gets a timestamp suffix; read the final slug from the response.',
      graphql: `mutation ($name: String!, $slug: String) {
        create${title}(name: $name, slug: $slug) { ${label} { id name slug } created }
      }`,
      example: { params: { organization }, body: { name: example } },
      errors: ['CONFLICT'],
    },
    'POST /enrichment-history': {
      summary: `List the enrichments of a ${label}, newest first`,
      description: 'The list is empty for an unknown name.',
      graphql: `query ($name: String!, $page: Int = 1, $limit: Int = 10) {
        ${label}EnrichmentHistory(name: $name, page: $page, limit: $limit) {
          history: nodes { ${history} }
          pagination { page limit total totalPages }
        }
      }`,
      example: { params: { organization }, body: { name: example, limit: 20 } },
    },
  };
  const attributeSets: Rows = {
    'POST /': {
      summary: `List the attribute sets for ${plural}, sorted by name`,
      graphql: `query {
        attributeSets(subject: ${label}) {
          id name organizationId
          attributeSetAttributes { order attribute { id name slug type prompt isActive } }
        }
      }`,
      envelope: { with: { success: true }, under: 'data.attributeSets' },
      example: { params: { organization }, body: {} },
    },
  };
  return table(catalog, { ...below(path, records), ...below(sets, attributeSets) });
};

const jobsOf = (label: keyof typeof words): Table => {
  const { jobs, plural, example, kind, input, create, job: named, inProgress } = words[label];
  const counted = `${plural[0]!.toUpperCase()}${plural.slice(1)}`;
  const beside = { with: { success: true }, under: 'data', inside: { success: true } };
  const rows: Rows = {
    'POST /create': {
      summary: `Start an enrichment of ${plural}`,
      graphql: `mutation ($input: ${input}!) { ${create}(input: $input) { jobId: id } }`,
      envelope: { ...beside, inside: { success: true, message: `${named} created successfully` } },
      example: { params: { organization }, body: { rows: [{ name: example }], inputColumns: ['name'], fileName: `${plural}.csv` } },
      requires: spending,
      errors: {
        ...outOfCredits,
        NOT_FOUND: 'Attribute set not found',
        CONFLICT: inProgress,
      },
    },
    'POST /get': {
      summary: `List ${label} enrichment jobs, newest first`,
      graphql: `query ($page: Int = 1, $limit: Int = 20) {
        jobs(kind: "${kind}", page: $page, limit: $limit) {
          jobs: nodes {
            id status modelType fileName useWebsearch: websearch attributeSetId inputColumns total${counted}: totalCount
            processedCount successCount failedCount errorSummary startedAt completedAt createdAt createdBy { name email }
          }
          pagination { page limit total totalPages }
        }
      }`,
      envelope: beside,
      example: { params: { organization }, body: { page: 1, limit: 20 } },
    },
    'POST /{job_id}/items/get': {
      summary: `List the items of a ${label} enrichment job`,
      graphql: `query ($job_id: ID!, $page: Int = 1, $limit: Int = 50) {
        jobItems(jobId: $job_id, kind: "${kind}", page: $page, limit: $limit) {
          job {
            id modelType fileName inputColumns total${counted}: totalCount processedCount successCount failedCount status errorSummary
          }
          items: nodes {
            id jobId rowIndex: ordinal ${label}Name: label inputData enrichedAttributes: enrichedData referenceData status cost
            errorMessage startedAt completedAt
          }
          pagination { page limit total totalPages }
        }
      }`,
      envelope: beside,
      example: { ...one, body: { page: 1 } },
      omitNull: ['items.enrichedAttributes'],
      errors: job,
    },
    'POST /{job_id}/stop': {
      summary: `Stop a ${label} enrichment job`,
      description: `Unfinished ${plural} fail with ‘Job was stopped by user’.`,
      graphql: `mutation ($job_id: ID!) { stopJob(id: $job_id, kind: "${kind}") { jobId: id status } }`,
      example: one,
      envelope: { with: { success: true, message: `${named} stopped successfully` }, under: 'data' },
      errors: { ...job, ...notInProgress },
    },
    'GET /{job_id}/download': {
      summary: `Download the rows of a ${label} enrichment job with the enriched values, as CSV`,
      description:
        'Cells are the plain values. Some may start with `=`, `+`, `-` or `@`, which spreadsheet programs read as formulas: before a person opens the file in one, put an apostrophe in front of such cells. The download of the dashboard has it.',
      graphql: `query ($job_id: ID!, $after: String) {
        enrichmentFile(jobId: $job_id, kind: "${kind}", after: $after) { name columns rows next }
      }`,
      reply: 'file',
      example: one,
      errors: job,
    },
  };
  return jobTable(below(jobs, rows));
};

export const brands = recordsOf('brand');
export const categories = recordsOf('category');
export const brandEnrichmentJobs = jobsOf('brand');
export const productCategoryJobs = jobsOf('category');
