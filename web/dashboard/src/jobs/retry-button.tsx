import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import type { JobSummaryFragment } from '../../.graph/graphql.ts';
import { graphql } from '../graph/graphql.ts';
import { useAddress } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';
import { isOpen } from './job-state.tsx';
import './summary.ts';

const RETRY_FAILED = graphql(`mutation RetryFailed($id: ID!) { retryFailedItems(jobId: $id) { ...JobSummary } }`);

/** Starts a job for the failed items of an ended job, and shows it. */
export function RetryButton({ job }: { job: JobSummaryFragment }) {
  const { imports, jobs } = useStrings();
  const navigate = useNavigate();
  const address = useAddress();
  const [{ fetching }, retry] = useMutation(RETRY_FAILED);
  if (isOpen(job) || job.failedCount === 0) return null;
  const isImport = job.kind === 'ai-import';

  async function start() {
    const { data } = await retry({ id: job.id });
    if (data) navigate(address(`${isImport ? 'imports' : 'jobs'}/${data.retryFailedItems.id}`));
  }
  return (
    <Button onClick={start} loading={fetching} leftSection={<IconRefresh size={16} aria-hidden />}>
      {isImport ? imports.retry : jobs.retry}
    </Button>
  );
}
