import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { isOpen, JobBar, JobStatusBadge } from '../../jobs/job-state.tsx';
import '../../jobs/summary.ts';
import { useJobsChanged } from '../../jobs/use-jobs-changed.ts';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useAddress } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';

const JOBS = graphql(`
  query RunningJobs {
    open: jobs(status: [pending, processing], limit: 20) { nodes { ...JobSummary } }
    latest: jobs(limit: 8) { nodes { ...JobSummary } }
  }
`);

/** The open jobs with live progress, and the latest ended ones. */
export function RunningJobs() {
  const { home } = useStrings();
  const address = useAddress();
  const query = useQuery({ query: JOBS });
  const [, refetch] = query;
  useJobsChanged(() => refetch({ requestPolicy: 'network-only' }));
  const start = (
    <Button component={Link} to={address('jobs/new')} size="xs" leftSection={<IconPlayerPlay size={14} aria-hidden />}>
      {home.startJob}
    </Button>
  );
  return (
    <Section title={home.jobs} actions={start}>
      <Loaded query={query}>
        {({ open, latest }) => {
          const jobs = [...open.nodes, ...latest.nodes.filter((job) => !open.nodes.some(({ id }) => id === job.id))];
          if (jobs.length === 0) return <Empty title={home.noJobs} text={home.noJobsText} />;
          return (
            <Stack gap="md">
              {jobs.map((job) => (
                <JobRow key={job.id} job={job} />
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </Section>
  );
}

function JobRow({ job }: { job: Parameters<typeof JobBar>[0]['job'] }) {
  const { jobs } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap" mb={4}>
        <Anchor component={Link} to={address(`jobs/${job.id}`)} fw={500} size="sm" truncate>
          {jobs.kinds[job.kind]}
        </Anchor>
        <Group gap="xs" wrap="nowrap">
          <Text size="xs" c="dimmed" visibleFrom="xs">
            {formats.ago(job.completedAt ?? job.startedAt ?? job.createdAt)}
          </Text>
          <JobStatusBadge job={job} />
        </Group>
      </Group>
      {isOpen(job) || job.failedCount > 0 ? (
        <JobBar job={job} />
      ) : (
        <Text size="xs" c="dimmed">
          {jobs.items(job.totalCount)}
        </Text>
      )}
    </div>
  );
}
