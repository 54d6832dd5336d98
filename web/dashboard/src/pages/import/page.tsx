import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import '../../jobs/job-state.tsx';
import { Alert, Group, Stack, Text } from '@mantine/core';
import { Navigate, useParams } from 'react-router';
import type { ImportPageQuery } from '../../../.graph/graphql.ts';
import {
  isOpen,
  JobBar,
  JobStatusBadge,
  PauseButton,
  PausedNote,
  RetryButton,
  StopButton,
  useProgress,
} from '../../jobs/job-state.tsx';
import { Note } from '../../parts/elements.tsx';
import { LoadedPage, PageTitle } from '../../parts/page-frame.tsx';
import { useAddress } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Found } from './found.tsx';

const IMPORT = graphql(`
  query ImportPage($id: ID!) {
    job(id: $id) { ...JobSummary sequence totalExtracted prompt createdBy { id name email } uploadedFiles { id name } }
  }
`);

const IMPORT_PROGRESS = graphql(`
  subscription ImportProgress($id: ID!, $after: Int!) {
    jobProgress(id: $id, after: $after) { sequence job { ...JobSummary sequence totalExtracted } }
  }
`);

/** One import: live progress, then the choice of the products that enter the catalog. Jobs of other kinds have a page of their own. */
export function Page() {
  const { id = '' } = useParams();
  const address = useAddress();
  const query = useQuery({ query: IMPORT, variables: { id } });
  return (
    <LoadedPage query={query}>
      {({ job }) =>
        job.kind === 'ai-import' ? <Watched key={job.id} job={job} /> : <Navigate replace to={address(`jobs/${job.id}`)} />
      }
    </LoadedPage>
  );
}

function Watched({ job }: { job: ImportPageQuery['job'] }) {
  const { imports, pages } = useStrings();
  useProgress(IMPORT_PROGRESS, job);
  const files = job.uploadedFiles.map(({ name }) => name).join(', ');
  return (
    <Stack gap="md" flex={1} mih={0}>
      <PageTitle title={files || pages.import}>
        {isOpen(job) && <PauseButton job={job} />}
        {isOpen(job) && <StopButton id={job.id} text={imports.stopText} />}
        <RetryButton job={job} />
      </PageTitle>
      <Facts job={job} />
      {isOpen(job) && (
        <div>
          <Text mb={4}>{imports.reading}</Text>
          <JobBar job={job} />
        </div>
      )}
      {job.errorSummary && (
        <Alert color="red" title={imports.unread} flex="none">
          {job.errorSummary}
        </Alert>
      )}
      <PausedNote job={job} />
      <Found job={job} />
    </Stack>
  );
}

function Facts({ job }: { job: ImportPageQuery['job'] }) {
  const { imports, jobs, terms, formats } = useStrings();
  const facts = [
    job.uploadedFiles.length === 0 && imports.deletedFiles,
    // Tables whose columns are assigned are read without a model.
    (isOpen(job) || job.cost > 0) && jobs.tiers[job.modelType],
    `${terms.credits}: ${formats.credits(job.cost)}`,
    job.createdBy && (job.createdBy.name || job.createdBy.email),
    formats.time(job.createdAt),
  ].filter((fact) => typeof fact === 'string');
  return (
    <>
      <Group gap="md">
        <JobStatusBadge job={job} />
        {facts.map((fact) => (
          <Text key={fact}>{fact}</Text>
        ))}
      </Group>
      {job.prompt && <Note lineClamp={3}>{job.prompt}</Note>}
    </>
  );
}
