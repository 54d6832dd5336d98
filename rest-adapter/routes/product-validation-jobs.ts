import { jobTable, spending } from '../job-table.ts';

const organization = 'acme';
const id = '0199a000-0000-7000-8000-000000000001';

export const productValidationJobs = jobTable({
  'POST /product-validation-jobs/create': {
    summary: 'Start a validation of products',
    graphql: `mutation ($input: NewProductValidationJob!) {
      createProductValidationJob(input: $input) { jobId: id status totalProducts: totalCount modelType extractImages createdAt }
    }`,
    example: { params: { organization }, body: { productIds: [id], modelType: 'budget-v1' } },
    requires: spending,
    errors: {
      OUT_OF_CREDITS: 'Credit limit reached. Please top up your credits to start a new enrichment job.',
      NOT_FOUND: 'Product not found',
    },
  },
  'POST /product-validation-jobs/get': {
    summary: 'List product validation jobs, newest first',
    graphql: `query ($page: Int = 1, $limit: Int = 10) {
      jobs(kind: "product-validation", page: $page, limit: $limit) {
        jobs: nodes { id status modelType totalProducts: totalCount processedCount successCount failedCount createdAt completedAt }
        pagination { page limit total totalPages }
      }
    }`,
    example: { params: { organization }, body: { page: 1, limit: 10 } },
  },
  'POST /product-validation-jobs/{job_id}/items/get': {
    summary: 'List the items of a product validation job',
    graphql: `query ($job_id: ID!, $page: Int = 1, $limit: Int = 20) {
      jobItems(jobId: $job_id, kind: "product-validation", page: $page, limit: $limit) {
        items: nodes { id jobId productId status startedAt completedAt errorMessage validationResults overallScore }
        pagination { page limit total totalPages }
      }
    }`,
    example: { params: { organization, job_id: id }, body: { page: 1 } },
    errors: { NOT_FOUND: 'Job not found' },
  },
  'POST /product-validation-jobs/{job_id}/stop': {
    summary: 'Stop a product validation job',
    description: 'Products in progress are finished; all others fail with ‘Job was stopped by user’.',
    graphql: `mutation ($job_id: ID!) { stopJob(id: $job_id, kind: "product-validation") { jobId: id status } }`,
    example: { params: { organization, job_id: id } },
    envelope: { with: { success: true, message: 'Validation job stopped successfully' }, under: 'data' },
    errors: { NOT_FOUND: 'Job not found', NOT_IN_PROGRESS: 'Job cannot be stopped because it is not in progress' },
  },
});
