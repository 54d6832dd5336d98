import { Alert, Group, Menu, Stack, Text } from '@mantine/core';
import { IconDownload, IconRepeat } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { type Client, type CombinedError, type OperationResult, useClient } from 'urql';
import type { JobFileQuery, JobPageQuery } from '../../../.graph/graphql.ts';
import { messageOf } from '../../graph/graph-client.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
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
import { Action, PageLink } from '../../parts/elements.tsx';
import { MenuAction } from '../../parts/more-menu.tsx';
import { showProblem } from '../../parts/overlays.tsx';
import { LoadedPage, PageTitle } from '../../parts/page-frame.tsx';
import { saveCsv } from '../../parts/save-file.ts';
import { useGo, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { EditResults, UndoButton } from './edit-results.tsx';
import { Items } from './items.tsx';

graphql(`
  fragment JobResult on Job {
    productEdit { products changed unchanged refused deleted undoOfId undoneById }
    productExport { format products exported isAvailable expiresAt }
  }
`);
const JOB = graphql(`
  query JobPage($id: ID!) {
    job(id: $id) {
      ...JobSummary ...JobResult
      sequence duration websearch overwrite prompt totalExtracted
      attributeSet { id name }
      rerunOf { id kind createdAt }
      createdBy { id name email }
      uploadedFiles { id name }
    }
  }
`);

const JOB_PROGRESS = graphql(`
  subscription JobProgress($id: ID!, $after: Int!) {
    jobProgress(id: $id, after: $after) {
      sequence
      job { ...JobSummary ...JobResult duration sequence }
      items { id status errorMessage cost completedAt overallScore valueCount results { id } }
    }
  }
`);

const RERUN_JOB = graphql(`
  mutation RerunJob($id: ID!, $modelType: ModelType!) { rerunJob(jobId: $id, modelType: $modelType) { ...JobSummary } }
`);

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
      <Results job={job} />
    </Stack>
  );
}

function Results({ job }: { job: JobPageQuery['job'] }) {
  if (job.kind === 'product-edit') return <EditResults job={job} />;
  return job.kind === 'product-export' ? <ExportFile job={job} /> : <Items job={job} />;
}

/** Jobs without a model, which cost nothing. */
const free = ['product-edit', 'product-export'];

function Facts({ job }: { job: JobPageQuery['job'] }) {
  const { jobs, terms, formats } = useStrings();
  const { rerunOf } = job;
  const facts = [
    !free.includes(job.kind) && jobs.tiers[job.modelType],
    !free.includes(job.kind) && `${terms.credits}: ${formats.credits(job.cost)}`,
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
        <Text key={String(fact)}>{fact}</Text>
      ))}
      {rerunOf && <PageLink to={`jobs/${rerunOf.id}`} label={jobs.rerunOf(formats.time(rerunOf.createdAt))} />}
      {rerunOf && <PageLink to={`jobs/${job.id}/compare`} label={jobs.compare} />}
    </Group>
  );
}

const RERUN_COST = graphql(`
  query RerunCost($id: ID!, $modelType: ModelType!) { rerunEstimate(jobId: $id, modelType: $modelType) { credits balance isCovered } }
`);

const labelKinds = ['brand-enrichment', 'product-category-enrichment'];
/** Imports become products once; bulk edits and exports start again from their products. */
const once = ['ai-import', 'product-import', ...free];
const tiers = ['budget-v1', 'pro-v1'] as const;

/** The actions that the state of a job allows: pause, continue, stop, retry, repeat, download. */
function Actions({ job }: { job: JobPageQuery['job'] }) {
  const { jobs, newJob, formats } = useStrings();
  const client = useClient();
  const { go } = useGo();
  const [repeat, isRepeating] = useAction(RERUN_JOB, { after: ({ rerunJob }) => go(`jobs/${rerunJob.id}`) });
  const { id } = job;

  async function rerun(modelType: (typeof tiers)[number]) {
    const { data: cost } = await client.query(RERUN_COST, { id, modelType }, { requestPolicy: 'network-only' });
    if (!cost) return;
    const { credits, balance, isCovered } = cost.rerunEstimate;
    const text = jobs.rerunCost(formats.credits(credits), formats.credits(balance));
    const question = { title: jobs.rerunTitle(jobs.tiers[modelType]), text: isCovered ? text : `${text} ${newJob.notCovered}` };
    await repeat({ id, modelType }, { ...question, action: jobs.rerun, danger: false });
  }
  const save = () => saveResults(client, job).catch((error: CombinedError) => showProblem(messageOf(error)));
  const ended = !isOpen(job);
  return (
    <>
      {!ended && <PauseButton job={job} />}
      {!ended && <StopButton id={id} text={jobs.stopText} />}
      <UndoButton job={job} />
      <DownloadButton job={job} />
      {!free.includes(job.kind) && <RetryButton job={job} />}
      {ended && !once.includes(job.kind) && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Action label={jobs.rerun} variant="default" loading={isRepeating} icon={IconRepeat} />
          </Menu.Target>
          <Menu.Dropdown>
            {tiers.map((tier) => (
              <MenuAction key={tier} label={jobs.tiers[tier]} onClick={() => rerun(tier)} />
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {ended && labelKinds.includes(job.kind) && (
        <Action label={jobs.download} variant="default" onClick={save} icon={IconDownload} />
      )}
    </>
  );
}

const FILE = graphql(`
  query JobFile($id: ID!, $kind: JobKind, $after: String) {
    enrichmentFile(jobId: $id, kind: $kind, after: $after) { name columns rows next }
  }
`);

/** Save the submitted rows of a brand or category job with the values that it filled in. */
async function saveResults(client: Client, { id, kind }: JobPageQuery['job']): Promise<void> {
  const rows: string[][] = [];
  let after: string | null | undefined;
  for (;;) {
    const { data, error }: OperationResult<JobFileQuery> = await client.query(
      FILE,
      { id, kind, after },
      { requestPolicy: 'network-only' },
    );
    if (!data) throw error;
    const { name, columns, rows: more, next } = data.enrichmentFile;
    rows.push(...more);
    if (!next) return saveCsv(name, columns, rows);
    after = next;
  }
}

type Job = JobPageQuery['job'];

/** Downloads the file of an export. The server streams it, because it can be larger than the memory of a page. */
function DownloadButton({ job: { id, productExport: file } }: { job: Job }) {
  const { productExports } = useStrings();
  const { slug } = useOrganization().organization;
  if (!file?.isAvailable) return null;
  return (
    <Action
      component="a"
      href={`/api/${slug}/product-export-jobs/${id}/download`}
      download
      label={productExports.download}
      icon={IconDownload}
    />
  );
}

/** The file of an export: its format, its products and how long it is kept. */
function ExportFile({ job: { productExport, completedAt } }: { job: Job }) {
  const { productExports, terms, formats } = useStrings();
  if (!productExport) return null;
  const { format, products, exported, isAvailable, expiresAt } = productExport;
  const isExpired = !isAvailable && expiresAt != null;
  return (
    <Stack gap="xs">
      <Text role="status">{productExports.written(formats.number(exported), formats.number(products))}</Text>
      <Text>{`${terms.format}: ${productExports.formats[format]}`}</Text>
      {completedAt != null && expiresAt != null && (
        <Text>{isExpired ? productExports.expired : productExports.expires(formats.time(expiresAt))}</Text>
      )}
    </Stack>
  );
}
