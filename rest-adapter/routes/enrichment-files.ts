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

export const enrichmentFiles = jobTable({
  'POST /enrichment-files/upload': {
    summary: 'Upload reference files for jobs',
    description:
      'The sizes and types of all files are validated first. Then each file is processed separately, and `errors` lists unreadable files.',
    files: { count: 20, bytes: 20 * MB, total: 200 * MB, types: readableFiles },
    graphql: `mutation ($files: [ID!]!) { uploadFiles(files: $files) { success uploadedFileIds errors { fileName error } } }`,
    envelope: {},
    omitNull: ['errors'],
    example: { params: { organization } },
  },
});
