import { ActionIcon, Text } from '@mantine/core';
import { IconInbox, IconTrash } from '@tabler/icons-react';
import { useParams } from 'react-router';
import type { SiteFormSubmissionsQuery } from '../../../.graph/graphql.ts';
import { Crumbs } from '../../content/record-page.tsx';
import { graphql, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { LoadedPage, PageTitle } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

const FORM = graphql(
  `query FormOfSubmissions($siteId: ID!, $id: ID!) { siteForm(siteId: $siteId, id: $id) { id name fields { name label } } }`,
);
const SUBMISSIONS = graphql(`
  query SiteFormSubmissions($siteId: ID!, $formId: ID!, $page: Int!, $limit: Int!) {
    list: siteFormSubmissions(siteId: $siteId, formId: $formId, page: $page, perPage: $limit) {
      nodes { id values submittedAt } pagination: meta { total }
    }
  }
`);
const REMOVE = graphql(`mutation RemoveSubmission($id: ID!) { deleteSiteFormSubmission(id: $id) { id } }`);

type Submission = SiteFormSubmissionsQuery['list']['nodes'][number];
type FormFields = { name: string; label: string }[];

/** The submissions of a form, newest first. */
export function Page() {
  const { content } = useStrings();
  const { site = '', form: id = '' } = useParams();
  const query = useQuery({ query: FORM, variables: { siteId: site, id } });
  return (
    <LoadedPage query={query}>
      {({ siteForm: { name, fields } }) => (
        <>
          <Crumbs
            steps={[
              { label: content.kinds.forms, path: `${site}/forms` },
              { label: name, path: `${site}/forms/${id}` },
            ]}
          />
          <PageTitle title={content.submissionsOf(name)} />
          <List siteId={site} formId={id} fields={fields} />
        </>
      )}
    </LoadedPage>
  );
}

function List({ siteId, formId, fields }: { siteId: string; formId: string; fields: FormFields }) {
  const { content, terms } = useStrings();
  const rows = usePages(SUBMISSIONS, { siteId, formId }, ({ list }) => list);
  return (
    <DataTable
      minHeight={320}
      label={terms.submissions}
      columns={useColumns(fields)}
      rows={rows}
      empty={{ icon: IconInbox, title: terms.noSubmissions, text: content.noSubmissionsText }}
    />
  );
}

function useColumns(fields: FormFields): Column<Submission>[] {
  const { terms, formats } = useStrings();
  return [
    { key: 'time', title: terms.received, width: 180, cell: ({ submittedAt }) => formats.time(submittedAt) },
    ...fields.slice(0, 4).map(({ name, label }, at) => ({
      key: `field ${name}`,
      title: label,
      from: at === 0 ? undefined : ('md' as const),
      cell: ({ values }: Submission) => (
        <Text truncate title={String(values[name] ?? '')}>
          {String(values[name] ?? '')}
        </Text>
      ),
    })),
    { key: 'actions', title: '', width: 50, cell: (row) => <Remove id={row.id} /> },
  ];
}

function Remove({ id }: { id: string }) {
  const { content, actions, terms } = useStrings();
  const ask = { title: content.removeSubmission, text: content.removeSubmissionText, action: actions.delete };
  const remove = useButton(REMOVE, { ask, done: terms.deleted });
  return (
    <ActionIcon variant="subtle" color="red" aria-label={content.removeSubmission} {...remove({ id })}>
      <IconTrash size={16} aria-hidden />
    </ActionIcon>
  );
}
