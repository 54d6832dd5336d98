import { Alert } from '@mantine/core';
import type { JobSummaryFragment } from '../../.graph/graphql.ts';
import { useStrings } from '../strings/strings.tsx';
import { isOpen } from './job-state.tsx';

/** Why a job is paused, and what continues it. */
export function PausedNote({ job }: { job: Pick<JobSummaryFragment, 'status' | 'paused' | 'pauseReason'> }) {
  const { jobs } = useStrings();
  if (!job.paused || !isOpen(job)) return null;
  return (
    <Alert color="yellow" role="status" flex="none">
      {job.pauseReason ? jobs.pausedTexts[job.pauseReason] : jobs.pausedText}
    </Alert>
  );
}
