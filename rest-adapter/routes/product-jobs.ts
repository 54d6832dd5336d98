import type { EnumValue } from '../../schema/enums.ts';
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

interface ProductJobKind {
  kind: EnumValue<'JobKind'>;
  /** The kind in the names of operations and inputs. */
  name: string;
  /** The kind in summaries: what starts, the job, and jobs. */
  nouns: { start: string; job: string; jobs: string };
  /** Fields of the response besides the usual ones. */
  created?: string;
  listed?: string;
  /** The body of the example of `create`, besides its products and model. */
  settings?: Record<string, unknown>;
  items: Pick<Row, 'graphql' | 'example'> & Partial<Row>;
  stop: { description: string; message: string };
}

/** The rows of one kind of jobs over products. */
function productJobs({ kind, name, nouns, created = '', listed = '', settings, items, stop }: ProductJobKind): Table {
  return jobTable({
    [`POST /${kind}-jobs/create`]: {
      summary: `Start ${nouns.start} of products`,
      graphql: `mutation ($input: New${name}Job!) {
      create${name}Job(input: $input) { jobId: id status totalProducts: totalCount modelType ${created} createdAt }
    }`,
      example: { params: { organization }, body: { productIds: [id], modelType: 'budget-v1', ...settings } },
      requires: spending,
      errors: { ...outOfCredits, NOT_FOUND: 'Product not found' },
    },
    [`POST /${kind}-jobs/get`]: {
      summary: `List ${nouns.jobs}, newest first`,
      graphql: `query ($page: Int = 1, $limit: Int = 10) {
      jobs(kind: "${kind}", page: $page, limit: $limit) {
        jobs: nodes {
          id status modelType ${listed} totalProducts: totalCount processedCount successCount failedCount createdAt completedAt
        }
        pagination { page limit total totalPages }
      }
    }`,
      example: { params: { organization }, body: { page: 1, limit: 10 } },
    },
    [`POST /${kind}-jobs/{job_id}/items/get`]: {
      summary: `List the items of ${nouns.job}`,
      errors: { NOT_FOUND: 'Job not found' },
      ...items,
    },
    [`POST /${kind}-jobs/{job_id}/stop`]: {
      summary: `Stop ${nouns.job}`,
      description: stop.description,
      graphql: `mutation ($job_id: ID!) { stopJob(id: $job_id, kind: "${kind}") { jobId: id status } }`,
      example: { params: { organization, job_id: id } },
      envelope: { with: { success: true, message: stop.message }, under: 'data' },
      errors: { NOT_FOUND: 'Job not found', ...notInProgress },
    },
  });
}

const productItems = (kind: EnumValue<'JobKind'>, fields: string): ProductJobKind['items'] => ({
  graphql: `query ($job_id: ID!, $page: Int = 1, $limit: Int = 20) {
      jobItems(jobId: $job_id, kind: "${kind}", page: $page, limit: $limit) {
        items: nodes { id jobId productId status startedAt completedAt errorMessage ${fields} }
        pagination { page limit total totalPages }
      }
    }`,
  example: { params: { organization, job_id: id }, body: { page: 1 } },
});

const FINISHED = 'Products in progress are finished; all others fail with ‘Job was stopped by user’.';

export const productEnrichmentJobs = productJobs({
  kind: 'product-enrichment',
  name: 'ProductEnrichment',
  nouns: { start: 'an enrichment', job: 'a product enrichment job', jobs: 'product enrichment jobs' },
  listed: 'websearch extractImages',
  settings: { websearch: false },
  items: { ...productItems('product-enrichment', 'enrichedData'), omitNull: ['items.enrichedData'] },
  stop: { description: FINISHED, message: 'Enrichment job stopped successfully' },
});

export const productMarketAnalysisJobs = productJobs({
  kind: 'product-market-analysis',
  name: 'ProductMarketAnalysis',
  nouns: { start: 'a market analysis', job: 'a market analysis job', jobs: 'market analysis jobs' },
  items: {
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
  },
  stop: {
    description: 'Unfinished products fail with ‘Job was stopped by user’.',
    message: 'Market Analysis job stopped successfully',
  },
});

export const productValidationJobs = productJobs({
  kind: 'product-validation',
  name: 'ProductValidation',
  nouns: { start: 'a validation', job: 'a product validation job', jobs: 'product validation jobs' },
  created: 'extractImages',
  items: productItems('product-validation', 'validationResults overallScore'),
  stop: { description: FINISHED, message: 'Validation job stopped successfully' },
});
