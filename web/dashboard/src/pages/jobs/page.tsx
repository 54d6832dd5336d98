import { Group, Stack } from '@mantine/core';
import { IconPlayerPlay, IconRepeat, IconStack2 } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { JobListQuery, JobListQueryVariables } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { JobBar, JobStatusBadge, jobPath, useJobTitle } from '../../jobs/job-state.tsx';
import { OptionalChoice } from '../../parts/forms-and-dialogs.tsx';
import '../../jobs/job-state.tsx';
import { useJobsChanged } from '../../layout/overview.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { LinkAction, PageLink } from '../../parts/elements.tsx';
import { PageTitle } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';

const JOBS = graphql(`
  query JobList($page: Int!, $limit: Int!, $kind: JobKind, $status: [JobStatus!]) {
    jobs(page: $page, limit: $limit, kind: $kind, status: $status) {
      nodes { ...JobSummary createdBy { id name email } uploadedFiles { id name } }
      pagination { total }
    }
  }
`);
type Row = JobListQuery['jobs']['nodes'][number];
type Status = Row['status'];
const DEFAULTS = { kind: '', status: '' };
/** The statuses behind each choice of the filter. */
const groups: Record<string, Status[]> = {
  open: ['pending', 'processing'],
  completed: ['completed'],
  failed: ['completed_with_errors', 'failed'],
  stopped: ['stopped'],
};

export function Page() {
  const { gapRules, jobs, pages, terms } = useStrings();
  const [{ kind, status }, , bind] = useUrlState(DEFAULTS, { kind: Object.keys(jobs.kinds), status: Object.keys(groups) });
  const variables = useMemo(
    () => ({ kind: (kind || undefined) as JobListQueryVariables['kind'], status: groups[status] }),
    [kind, status],
  );
  const rows = usePages(JOBS, variables, (data) => data.jobs);
  useJobsChanged(() => rows.retry?.());
  const columns = useColumns();
  return (
    <Stack gap="sm" flex={1} mih={0}>
      <PageTitle title={pages.jobs}>
        <LinkAction label={gapRules.open} to="jobs/rules" variant="default" icon={IconRepeat} />
        <LinkAction label={jobs.start} to="jobs/new" icon={IconPlayerPlay} />
      </PageTitle>
      <Group gap="sm">
        <OptionalChoice {...bind('kind')} aria-label={terms.kind} none={terms.all} placeholder={terms.kind} labels={jobs.kinds} />
        <OptionalChoice
          {...bind('status')}
          aria-label={terms.status}
          none={terms.all}
          placeholder={terms.status}
          labels={jobs.groups}
        />
      </Group>
      <DataTable<Row>
        label={pages.jobs}
        columns={columns}
        rows={rows}
        rowHeight={61}
        empty={{ icon: IconStack2, title: jobs.empty, text: jobs.emptyText }}
      />
    </Stack>
  );
}

function useColumns(): Column<Row>[] {
  const { jobs, terms, formats } = useStrings();
  const titleOf = useJobTitle();
  return useMemo(
    () => [
      { key: 'kind', title: terms.kind, cell: (job) => <PageLink to={jobPath(job)} label={titleOf(job)} /> },
      { key: 'status', title: terms.status, width: 190, cell: (job) => <JobStatusBadge job={job} /> },
      { key: 'progress', title: terms.progress, from: 'sm', width: 220, cell: (job) => <JobBar job={job} /> },
      { key: 'cost', title: terms.credits, from: 'md', align: 'right', width: 90, cell: ({ cost }) => formats.credits(cost) },
      { key: 'createdBy', title: jobs.createdBy, from: 'lg', cell: ({ createdBy }) => createdBy?.name || createdBy?.email },
      { key: 'createdAt', title: terms.created, from: 'md', width: 150, cell: ({ createdAt }) => formats.ago(createdAt) },
    ],
    [jobs, terms, formats, titleOf],
  );
}
