import { type Table, table } from '../route.ts';
import { catalog } from '../surfaces.ts';

/** A tool without a REST endpoint: REST callers poll or receive a webhook. */
export const jobProgress: Table = table(catalog, {
  'GET /jobs/{job_id}/progress': {
    summary: 'Wait until a job ends',
    description:
      'Returns its last state, also when the time to wait is over. With a progress token, it reports the number of processed items.',
    toolName: 'wait_for_job',
    graphql: `subscription ($job_id: ID!) {
      jobProgress(id: $job_id) {
        status processedCount successCount failedCount at job { id kind totalCount errorSummary }
      }
    }`,
    stream: { result: { progress: { done: 'processedCount', total: 'job.totalCount' } } },
    example: { params: { organization: 'acme', job_id: '0199a000-0000-7000-8000-000000000001' } },
    errors: { NOT_FOUND: 'Job not found' },
  },
});
