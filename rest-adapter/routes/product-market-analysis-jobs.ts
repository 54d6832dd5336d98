import { jobTable, spending } from '../job-table.ts';

const organization = 'acme';
const id = '0199a000-0000-7000-8000-000000000001';

export const productMarketAnalysisJobs = jobTable({
  'POST /product-market-analysis-jobs/create': {
    summary: 'Start a market analysis of products',
    graphql: `mutation ($input: NewProductMarketAnalysisJob!) {
      createProductMarketAnalysisJob(input: $input) { jobId: id status totalProducts: totalCount modelType createdAt }
    }`,
    example: { params: { organization }, body: { productIds: [id], modelType: 'budget-v1' } },
    requires: spending,
    errors: {
      OUT_OF_CREDITS: 'Credit limit reached. Please top up your credits to start a new enrichment job.',
      NOT_FOUND: 'Product not found',
    },
  },
  'POST /product-market-analysis-jobs/get': {
    summary: 'List market analysis jobs, newest first',
    graphql: `query ($page: Int = 1, $limit: Int = 10) {
      jobs(kind: "product-market-analysis", page: $page, limit: $limit) {
        jobs: nodes { id status modelType totalProducts: totalCount processedCount successCount failedCount createdAt completedAt }
        pagination { page limit total totalPages }
      }
    }`,
    example: { params: { organization }, body: { page: 1, limit: 10 } },
  },
  'POST /product-market-analysis-jobs/{job_id}/items/get': {
    summary: 'List the items of a market analysis job',
    graphql: `query ($job_id: ID!, $limit: Int = 50, $offset: Int = 0) {
      marketAnalysisItems(jobId: $job_id, limit: $limit, offset: $offset) {
        items: nodes {
          id jobId productId status errorMessage
          results { id source price originalPrice currency availability link }
        }
      }
    }`,
    example: { params: { organization, job_id: id }, body: { limit: 50, offset: 0 } },
    omitNull: ['items.errorMessage', 'items.results.originalPrice'],
    errors: { NOT_FOUND: 'Job not found' },
  },
  'POST /product-market-analysis-jobs/{job_id}/stop': {
    summary: 'Stop a market analysis job',
    description: 'Unfinished products fail with ‘Job was stopped by user’.',
    graphql: `mutation ($job_id: ID!) { stopJob(id: $job_id, kind: "product-market-analysis") { jobId: id status } }`,
    example: { params: { organization, job_id: id } },
    envelope: { with: { success: true, message: 'Market Analysis job stopped successfully' }, under: 'data' },
    errors: { NOT_FOUND: 'Job not found', NOT_IN_PROGRESS: 'Job cannot be stopped because it is not in progress' },
  },
});
