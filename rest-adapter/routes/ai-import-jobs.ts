import { jobTable, notInProgress, outOfCredits, spending } from './product-jobs.ts';

const organization = 'acme';
const MB = 1024 * 1024;

/** MIME types of files that text can be extracted from. */
const readableFiles = [
  'application/pdf',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.ms-excel',
  'image/png',
  'image/jpeg',
  'image/webp',
];

/** Refusals of files that do not fit the quota of the organization. */
const storageErrors = {
  LIMIT_REACHED: 'File storage limit reached. The files of an organization can take up to 10240 MB. Delete unused files first.',
};

export const enrichmentFiles = jobTable({
  'POST /enrichment-files/upload': {
    summary: 'Upload reference files for jobs',
    description:
      'The sizes and types of all files are validated first. Then each file is processed separately, and `errors` lists unreadable files. ' +
      'Forms that an organization sends at the same time share a budget. Beyond it, and while the server is full, the response is 429 or 503 with `Retry-After`.',
    files: { count: 20, bytes: 20 * MB, total: 200 * MB, types: readableFiles },
    graphql: `mutation ($files: [ID!]!) { uploadFiles(files: $files) { success uploadedFileIds errors { fileName error } } }`,
    envelope: {},
    omitNull: ['errors'],
    example: { params: { organization } },
    errors: storageErrors,
  },
});

const id = '0199a000-0000-7000-8000-000000000001';
const one = { params: { organization, job_id: id } };
const job = { NOT_FOUND: 'Job not found' };
/** The documented lists have no field for pages. */
const pageErrors =
  'the GraphQL query `jobItems(jobId: …) { nodes { ordinal status errorMessage } }` lists the pages, those that failed with their errors, and `retryFailedItems` reads those again';

export const aiImportJobs = jobTable({
  'POST /ai-import-jobs/create': {
    summary: 'Start an import of products from files',
    files: { count: 5, bytes: 20 * MB, total: 100 * MB, types: readableFiles, optional: true },
    graphql: `mutation ($input: NewAiImportJob!) { createAiImportJob(input: $input) { jobId: id status totalFiles modelType createdAt } }`,
    example: { params: { organization } },
    requires: spending,
    errors: {
      ...storageErrors,
      ...outOfCredits,
      NOT_FOUND: 'File not found',
    },
  },
  'POST /ai-import-jobs/get': {
    summary: 'List import jobs, newest first',
    description: `The status \`completed_with_errors\` means that pages of the files could not be read, so products may be missing: ${pageErrors}.`,
    graphql: `query ($page: Int = 1, $limit: Int = 10) {
      jobs(kind: "ai-import", page: $page, limit: $limit) {
        jobs: nodes { id status modelType totalFiles totalExtracted createdAt completedAt }
        pagination { page limit total totalPages }
      }
    }`,
    example: { params: { organization }, body: { page: 1, limit: 10 } },
  },
  'POST /ai-import-jobs/{job_id}/items/get': {
    summary: 'List the extracted items of an import',
    description: `Products of pages that could not be read are missing. The job then ends as \`completed_with_errors\`: ${pageErrors}.`,
    graphql: `query ($job_id: ID!, $page: Int = 1, $limit: Int = 200, $searchQuery: String = "", $sort: ImportSort = "name-asc") {
      importItems(jobId: $job_id, page: $page, limit: $limit, searchQuery: $searchQuery, sort: $sort) {
        items: nodes { id type status parentItemId data { name sku brand category manufacturer mpn variantOptions } errorMessage childCount }
        pagination { page limit total totalPages }
      }
    }`,
    example: { ...one, body: { page: 1, sort: 'type-asc' } },
    errors: job,
  },
  'POST /ai-import-jobs/{job_id}/finalize': {
    summary: 'Import extracted items into the catalog',
    description: 'Imports all items or the named ones. Repeated calls skip items that are already imported.',
    graphql: `mutation ($job_id: ID!, $all: Boolean, $itemIds: [ID!], $excludedIds: [ID!]) {
      finalizeAiImportJob(jobId: $job_id, all: $all, itemIds: $itemIds, excludedIds: $excludedIds) { jobId imported failed }
    }`,
    example: { ...one, body: { all: true } },
    errors: { ...job, CONFLICT: 'Products with these SKUs/externalIds already exist: A-1' },
  },
  'POST /ai-import-jobs/{job_id}/stop': {
    summary: 'Stop an import',
    description: 'Items that are already extracted remain and can be finalized.',
    graphql: `mutation ($job_id: ID!) { stopJob(id: $job_id, kind: "ai-import") { jobId: id status } }`,
    example: one,
    errors: { ...job, ...notInProgress },
  },
});
