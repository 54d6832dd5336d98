import { Alert, Group, Progress, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { type TypedDocumentNode, useMutation } from 'urql';
import type { JobSummaryFragment } from '../../.graph/graphql.ts';
import { graphql, useButton, useLive } from '../graph/graph-hooks.ts';
import { Action, Note, Tag } from '../parts/elements.tsx';
import { useGo } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';

// The state of a job in lists. The subscription of the shell keeps these fields current.
graphql(`
  fragment JobSummary on Job {
    id kind status paused pauseReason modelType totalCount processedCount successCount failedCount cost errorSummary createdAt startedAt completedAt
  }
`);

/** The address of a job within the organization. */
export const jobPath = ({ id, kind }: Pick<JobSummaryFragment, 'id' | 'kind'>): string =>
  `${kind === 'ai-import' ? 'imports' : 'jobs'}/${id}`;

/** The name of a job in lists: its kind, or the files of an import. */
export function useJobTitle() {
  const { jobs } = useStrings();
  return useCallback(
    ({ kind, uploadedFiles }: Pick<JobSummaryFragment, 'kind'> & { uploadedFiles: readonly { name: string }[] }): string =>
      (kind === 'ai-import' && uploadedFiles.map(({ name }) => name).join(', ')) || jobs.kinds[kind],
    [jobs],
  );
}

const colors = {
  pending: 'gray',
  processing: 'blue',
  completed: 'teal',
  completed_with_errors: 'orange',
  failed: 'red',
  stopped: 'gray',
} as const;

/** Whether the job may still change. */
export const isOpen = ({ status }: Pick<JobSummaryFragment, 'status'>): boolean => status === 'pending' || status === 'processing';

export function JobStatusBadge({ job: { status, paused } }: { job: Pick<JobSummaryFragment, 'status' | 'paused'> }) {
  const { jobs } = useStrings();
  const isPaused = paused && (status === 'pending' || status === 'processing');
  return <Tag label={isPaused ? jobs.paused : jobs.statuses[status]} color={isPaused ? 'yellow' : colors[status]} />;
}

/** How many items of a job have completed and failed. */
export function JobBar({ job }: { job: JobSummaryFragment }) {
  const { jobs, formats } = useStrings();
  const share = (count: number) => (job.totalCount > 0 ? (count / job.totalCount) * 100 : 0);
  const counts = jobs.progress(formats.number(job.processedCount), formats.number(job.totalCount));
  return (
    <div>
      <Progress.Root size="sm" aria-hidden>
        <Progress.Section value={share(job.successCount)} color="teal.7" />
        <Progress.Section value={share(job.failedCount)} color="red.7" />
      </Progress.Root>
      <Group justify="space-between" mt={4} gap="xs">
        <Note size="xs">{counts}</Note>
        {job.failedCount > 0 && (
          <Text size="xs" c="var(--mantine-color-red-light-color)">
            {jobs.failedItems(formats.number(job.failedCount))}
          </Text>
        )}
      </Group>
    </div>
  );
}

const PAUSE_JOB = graphql(`mutation PauseJob($id: ID!) { pauseJob(id: $id) { ...JobSummary } }`);
const CONTINUE_JOB = graphql(`mutation ContinueJob($id: ID!) { continueJob(id: $id) { ...JobSummary } }`);

/** Pauses an open job, or continues a paused one. */
export function PauseButton({ job: { id, paused } }: { job: Pick<JobSummaryFragment, 'id' | 'paused'> }) {
  const { jobs, actions } = useStrings();
  const [pausing, pause] = useMutation(PAUSE_JOB);
  const [continuing, resume] = useMutation(CONTINUE_JOB);
  const isBusy = pausing.fetching || continuing.fetching;
  // One button for both, so that the focus stays on it.
  return (
    <Action
      label={paused ? actions.continue : jobs.pause}
      variant={paused ? 'filled' : 'default'}
      onClick={() => (paused ? resume({ id }) : pause({ id }))}
      loading={isBusy}
      leftSection={paused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
    />
  );
}

const STOP_JOB = graphql(`mutation StopJob($id: ID!) { stopJob(id: $id) { ...JobSummary } }`);

/**
 * Stops an open job.
 * @param text says what then happens to its items
 */
export function StopButton({ id, text }: { id: string; text: string }) {
  const { jobs } = useStrings();
  const stop = useButton(STOP_JOB, { ask: { title: jobs.stop, text, action: jobs.stop } });
  return <Action label={jobs.stop} variant="light" color="red" icon={IconPlayerStop} {...stop({ id })} />;
}

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

const RETRY_FAILED = graphql(`mutation RetryFailed($id: ID!) { retryFailedItems(jobId: $id) { ...JobSummary } }`);

/** Starts a job for the failed items of an ended job, and shows it. */
export function RetryButton({ job }: { job: JobSummaryFragment }) {
  const { imports, jobs } = useStrings();
  const { go } = useGo();
  const retry = useButton(RETRY_FAILED, { after: (data) => go(jobPath(data.retryFailedItems)) });
  if (isOpen(job) || job.failedCount === 0) return null;
  const isImport = job.kind === 'ai-import';
  const label = isImport ? imports.retry : jobs.retry;
  return <Action label={label} icon={IconRefresh} {...retry({ id: job.id })} />;
}

/**
 * Follow a job that is open when the page shows it, until the server ends the subscription. The shell may learn of the end earlier, but
 * without the items, and items that run when a job is stopped end later than the job.
 */
export function useProgress<Data extends object>(
  document: TypedDocumentNode<Data, { id: string; after: number }>,
  job: Pick<JobSummaryFragment, 'id' | 'status'> & { sequence: number },
): void {
  const [variables] = useState(isOpen(job) ? { id: job.id, after: job.sequence } : null);
  useLive(document, variables);
}
