import { jobTable } from './product-jobs.ts';

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
