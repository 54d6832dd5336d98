import { Badge, Group, Progress, Text } from '@mantine/core';
import type { JobSummaryFragment } from '../../.graph/graphql.ts';
import { useFormats, useStrings } from '../strings/strings.tsx';

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

/** The status of a job as a badge. */
export function JobStatusBadge({ job: { status, paused } }: { job: Pick<JobSummaryFragment, 'status' | 'paused'> }) {
  const { jobs } = useStrings();
  const isPaused = paused && (status === 'pending' || status === 'processing');
  return (
    <Badge variant="light" color={isPaused ? 'yellow' : colors[status]}>
      {isPaused ? jobs.paused : jobs.statuses[status]}
    </Badge>
  );
}

/** How many items of a job have completed and failed. */
export function JobBar({ job }: { job: JobSummaryFragment }) {
  const { jobs } = useStrings();
  const formats = useFormats();
  const share = (count: number) => (job.totalCount > 0 ? (count / job.totalCount) * 100 : 0);
  const counts = jobs.progress(formats.number(job.processedCount), formats.number(job.totalCount));
  return (
    <div>
      <Progress.Root size="sm" aria-hidden>
        <Progress.Section value={share(job.successCount)} color="teal.7" />
        <Progress.Section value={share(job.failedCount)} color="red.7" />
      </Progress.Root>
      <Group justify="space-between" mt={4} gap="xs">
        <Text size="xs" c="dimmed">
          {counts}
        </Text>
        {job.failedCount > 0 && (
          <Text size="xs" c="var(--mantine-color-red-light-color)">
            {jobs.failedItems(formats.number(job.failedCount))}
          </Text>
        )}
      </Group>
    </div>
  );
}
