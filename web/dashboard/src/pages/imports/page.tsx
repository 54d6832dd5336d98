import { Stack } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import type { ImportListQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { JobBar, JobStatusBadge } from '../../jobs/job-state.tsx';
import '../../jobs/job-state.tsx';
import { useJobsChanged } from '../../layout/overview.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { LinkAction, PageLink } from '../../parts/elements.tsx';
import { PageTitle } from '../../parts/page-frame.tsx';
import { SampleFile } from '../../products/sample-file.tsx';
import { useStrings } from '../../strings/strings.tsx';

const IMPORTS = graphql(`
  query ImportList($page: Int!, $limit: Int!) {
    jobs(page: $page, limit: $limit, kind: "ai-import") {
      nodes { ...JobSummary totalExtracted createdBy { id name email } uploadedFiles { id name } }
      pagination { total }
    }
  }
`);
type Row = ImportListQuery['jobs']['nodes'][number];
const NOTHING = {};

/** All imports, newest first, with live progress. */
export function Page() {
  const { imports, pages } = useStrings();
  const rows = usePages(IMPORTS, NOTHING, (data) => data.jobs);
  useJobsChanged(() => rows.retry?.());
  const columns = useColumns();
  const create = <LinkAction key="create" label={pages.newImport} to="imports/new" icon={IconFileImport} />;
  return (
    <Stack gap="sm" flex={1} mih={0}>
      <PageTitle title={pages.imports}>{create}</PageTitle>
      <DataTable<Row>
        label={pages.imports}
        columns={columns}
        rows={rows}
        rowHeight={61}
        empty={{ icon: IconFileImport, title: imports.none, text: imports.noneText, action: [create, <SampleFile key="sample" />] }}
      />
    </Stack>
  );
}

function useColumns(): Column<Row>[] {
  const { imports, jobs, terms, formats } = useStrings();
  return [
    {
      key: 'files',
      title: terms.files,
      cell: ({ id, uploadedFiles }) => (
        <PageLink to={`imports/${id}`} label={uploadedFiles.map(({ name }) => name).join(', ') || imports.deletedFiles} />
      ),
    },
    { key: 'status', title: terms.status, width: 190, cell: (job) => <JobStatusBadge job={job} /> },
    { key: 'progress', title: imports.pages, from: 'sm', width: 200, cell: (job) => <JobBar job={job} /> },
    {
      key: 'found',
      title: imports.found,
      from: 'sm',
      align: 'right',
      width: 90,
      cell: ({ totalExtracted }) => formats.number(totalExtracted ?? 0),
    },
    { key: 'createdBy', title: jobs.createdBy, from: 'lg', cell: ({ createdBy }) => createdBy?.name || createdBy?.email },
    { key: 'createdAt', title: terms.created, from: 'md', width: 150, cell: ({ createdAt }) => formats.ago(createdAt) },
  ];
}
