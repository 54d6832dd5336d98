import { jobTable } from '../job-table.ts';

const organization = 'acme';
const MB = 1024 * 1024;

/** MIME types of files that text can be extracted from. */
export const readableFiles = [
  'application/pdf',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.ms-excel',
  'image/png',
  'image/jpeg',
  'image/webp',
];

/** Refusals of files that do not fit the quota of the organization. */
export const storageErrors = {
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
