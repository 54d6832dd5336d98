import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from 'urql';
import type { JobSummaryFragment } from '../../.graph/graphql.ts';
import { graphql } from '../graph/graphql.ts';
import { useStrings } from '../strings/strings.tsx';
import './summary.ts';

const PAUSE_JOB = graphql(`mutation PauseJob($id: ID!) { pauseJob(id: $id) { ...JobSummary } }`);
const CONTINUE_JOB = graphql(`mutation ContinueJob($id: ID!) { continueJob(id: $id) { ...JobSummary } }`);

/** Pauses an open job, or continues a paused one. */
export function PauseButton({ job: { id, paused } }: { job: Pick<JobSummaryFragment, 'id' | 'paused'> }) {
  const { jobs } = useStrings();
  const [pausing, pause] = useMutation(PAUSE_JOB);
  const [continuing, resume] = useMutation(CONTINUE_JOB);
  const isBusy = pausing.fetching || continuing.fetching;
  // One button for both, so that the focus stays on it.
  return (
    <Button
      variant={paused ? 'filled' : 'default'}
      onClick={() => (paused ? resume({ id }) : pause({ id }))}
      loading={isBusy}
      leftSection={paused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
    >
      {paused ? jobs.continue : jobs.pause}
    </Button>
  );
}
