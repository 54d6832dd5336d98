import type { Requirement } from '../../schema/request.ts';
import { type Key, type Row, type Table, table } from '../route.ts';
import { catalog } from '../surfaces.ts';

/** The requirement of rows that start AI jobs. */
export const spending: Requirement = { ...catalog.requires, gates: ['credits'] };

/** Errors of rows that start and stop jobs. */
export const outOfCredits = { OUT_OF_CREDITS: 'Credit limit reached. Please top up your credits to start a new enrichment job.' };
export const notInProgress = { NOT_IN_PROGRESS: 'Job cannot be stopped because it is not in progress' };

/** A table of rows of AI jobs. Its MCP tools that write have a group of their own, because they spend credits. */
export const jobTable = <K extends Key>(rows: Record<K, Row>): Table =>
  table(catalog, rows, { read: 'catalog-read', write: 'jobs' });

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
      ...outOfCredits,
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
    errors: { NOT_FOUND: 'Job not found', ...notInProgress },
  },
});

export const productMarketAnalysisJobs = jobTable({
  'POST /product-market-analysis-jobs/create': {
    summary: 'Start a market analysis of products',
    graphql: `mutation ($input: NewProductMarketAnalysisJob!) {
      createProductMarketAnalysisJob(input: $input) { jobId: id status totalProducts: totalCount modelType createdAt }
    }`,
    example: { params: { organization }, body: { productIds: [id], modelType: 'budget-v1' } },
    requires: spending,
    errors: {
      ...outOfCredits,
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
    errors: { NOT_FOUND: 'Job not found', ...notInProgress },
  },
});

export const productValidationJobs = jobTable({
  'POST /product-validation-jobs/create': {
    summary: 'Start a validation of products',
    graphql: `mutation ($input: NewProductValidationJob!) {
      createProductValidationJob(input: $input) { jobId: id status totalProducts: totalCount modelType extractImages createdAt }
    }`,
    example: { params: { organization }, body: { productIds: [id], modelType: 'budget-v1' } },
    requires: spending,
    errors: {
      ...outOfCredits,
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
    errors: { NOT_FOUND: 'Job not found', ...notInProgress },
  },
});
