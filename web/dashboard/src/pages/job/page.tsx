import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';
import type { JobPageQuery } from '../../../.graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { JobBar, JobStatusBadge } from '../../jobs/job-state.tsx';
import { PausedNote } from '../../jobs/paused-note.tsx';
import { useProgress } from '../../jobs/use-progress.ts';
import { PageTitle } from '../../parts/page-title.tsx';
import { LoadedPage } from '../../parts/states.tsx';
import { useAddress } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { Actions } from './actions.tsx';
import { Items } from './items.tsx';
import { JOB, JOB_PROGRESS } from './job.ts';

/** One job: live progress, what can be done with it, and its items. */
export function Page() {
  const { id = '' } = useParams();
  const query = useQuery({ query: JOB, variables: { id } });
  return <LoadedPage query={query}>{({ job }) => <Watched key={job.id} job={job} />}</LoadedPage>;
}

function Watched({ job }: { job: JobPageQuery['job'] }) {
  const { jobs } = useStrings();
  useProgress(JOB_PROGRESS, job);
  return (
    <Stack gap="md" flex={1} mih={0}>
      <PageTitle title={jobs.kinds[job.kind]}>
        <Actions job={job} />
      </PageTitle>
      <Facts job={job} />
      <JobBar job={job} />
      {job.errorSummary && (
        <Alert color="red" title={jobs.failures}>
          {job.errorSummary}
        </Alert>
      )}
      <PausedNote job={job} />
      <Items job={job} />
    </Stack>
  );
}

function Facts({ job }: { job: JobPageQuery['job'] }) {
  const { jobs } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const { rerunOf } = job;
  const facts = [
    jobs.tiers[job.modelType],
    `${jobs.cost}: ${formats.credits(job.cost)}`,
    job.attributeSet?.name,
    job.createdBy && (job.createdBy.name || job.createdBy.email),
    formats.time(job.createdAt),
    typeof job.duration === 'number' && formats.duration(job.duration),
    job.uploadedFiles.length > 0 && job.uploadedFiles.map(({ name }) => name).join(', '),
  ].filter(Boolean);
  return (
    <Group gap="md">
      <JobStatusBadge job={job} />
      {facts.map((fact) => (
        <Text key={String(fact)} size="sm">
          {fact}
        </Text>
      ))}
      {rerunOf && (
        <Anchor component={Link} to={address(`jobs/${rerunOf.id}`)} size="sm">
          {jobs.rerunOf(formats.time(rerunOf.createdAt))}
        </Anchor>
      )}
      {rerunOf && (
        <Anchor component={Link} to={address(`jobs/${job.id}/compare`)} size="sm">
          {jobs.compare}
        </Anchor>
      )}
    </Group>
  );
}
