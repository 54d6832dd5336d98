import { jobTable, spending } from '../job-table.ts';

const organization = 'acme';
const id = '0199a000-0000-7000-8000-000000000001';

export const productEnrichmentJobs = jobTable({
  'POST /product-enrichment-jobs/create': {
    summary: 'Start an enrichment of products',
    graphql: `mutation ($input: NewProductEnrichmentJob!) {
      createProductEnrichmentJob(input: $input) { jobId: id status totalProducts: totalCount modelType createdAt }
    }`,
    example: { params: { organization }, body: { productIds: [id], modelType: 'budget-v1', websearch: false } },
    requires: spending,
    errors: {
      OUT_OF_CREDITS: 'Credit limit reached. Please top up your credits to start a new enrichment job.',
      NOT_FOUND: 'Product not found',
    },
  },
  'POST /product-enrichment-jobs/get': {
    summary: 'List product enrichment jobs, newest first',
    graphql: `query ($page: Int = 1, $limit: Int = 10) {
      jobs(kind: "product-enrichment", page: $page, limit: $limit) {
        jobs: nodes {
          id status modelType websearch extractImages totalProducts: totalCount processedCount successCount failedCount createdAt completedAt
        }
        pagination { page limit total totalPages }
      }
    }`,
    example: { params: { organization }, body: { page: 1, limit: 10 } },
  },
  'POST /product-enrichment-jobs/{job_id}/items/get': {
    summary: 'List the items of a product enrichment job',
    graphql: `query ($job_id: ID!, $page: Int = 1, $limit: Int = 20) {
      jobItems(jobId: $job_id, kind: "product-enrichment", page: $page, limit: $limit) {
        items: nodes { id jobId productId status startedAt completedAt errorMessage enrichedData }
        pagination { page limit total totalPages }
      }
    }`,
    example: { params: { organization, job_id: id }, body: { page: 1 } },
    omitNull: ['items.enrichedData'],
    errors: { NOT_FOUND: 'Job not found' },
  },
  'POST /product-enrichment-jobs/{job_id}/stop': {
    summary: 'Stop a product enrichment job',
    description: 'Products in progress are finished; all others fail with ‘Job was stopped by user’.',
    graphql: `mutation ($job_id: ID!) { stopJob(id: $job_id, kind: "product-enrichment") { jobId: id status } }`,
    example: { params: { organization, job_id: id } },
    envelope: { with: { success: true, message: 'Enrichment job stopped successfully' }, under: 'data' },
    errors: { NOT_FOUND: 'Job not found', NOT_IN_PROGRESS: 'Job cannot be stopped because it is not in progress' },
  },
});
