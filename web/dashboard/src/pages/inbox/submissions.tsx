import { Stack, Text } from '@mantine/core';
import { IconForms } from '@tabler/icons-react';
import { useState } from 'react';
import type { SubmissionsQuery } from '../../../.graph/graphql.ts';
import { graphql, useEvery, useQuery } from '../../graph/graph-hooks.ts';
import { useOlder } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Note, OpenButton, PageLink } from '../../parts/elements.tsx';
import { Drawer, OptionalChoice } from '../../parts/forms-and-dialogs.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import { AgentSelect, ListBar, textOf, useExport } from './list-bar.tsx';

const FORMS = graphql(`query FormNames { customForms { name title } }`);
const SUBMISSIONS = graphql(`
  query Submissions($agentId: ID, $formName: String, $before: Since, $limit: ListLimit!) {
    customFormSubmissions(agentId: $agentId, formName: $formName, before: $before, limit: $limit) {
      id formName values labels conversationId agentName createdAt
    }
  }
`);
type Submission = SubmissionsQuery['customFormSubmissions'][number];

const DEFAULTS = { agent: '', form: '' };
const pick = ({ customFormSubmissions }: SubmissionsQuery) => customFormSubmissions;

/** Custom forms that visitors filled in. */
export function View() {
  const { inbox, terms, pages, formats } = useStrings();
  const [{ data }] = useQuery({ query: FORMS });
  const [filter, change, bind] = useUrlState(DEFAULTS);
  const [agentId, formName] = [filter.agent || null, filter.form || null];
  const [opened, setOpened] = useState<Submission>();
  const variables = { agentId, formName };
  const rows = useOlder(SUBMISSIONS, variables, pick, ({ createdAt }) => createdAt);
  useEvery(30, () => rows.retry?.());
  const csv = useExport({ document: SUBMISSIONS, variables, pick, name: 'submissions', toRecord: recordOf });
  const titles = new Map(data?.customForms.map(({ name, title }) => [name, title]));
  // Submissions of a deleted form stay.
  const names = formName && !titles.has(formName) ? [...titles, [formName, formName] as const] : [...titles];
  const columns: Column<Submission>[] = [
    {
      key: 'form',
      title: inbox.form,
      width: 200,
      cell: (submission) => (
        <OpenButton label={titles.get(submission.formName) ?? submission.formName} onClick={() => setOpened(submission)} />
      ),
    },
    {
      key: 'values',
      title: terms.values,
      cell: ({ values, labels }) =>
        Object.entries(values)
          .map(([name, value]) => `${labels[name] ?? name}: ${textOf(value)}`)
          .join(' · '),
    },
    { key: 'agent', title: pages.agent, width: 160, from: 'md', cell: ({ agentName }) => agentName },
    { key: 'created', title: terms.received, width: 150, from: 'sm', cell: ({ createdAt }) => formats.ago(createdAt) },
  ];
  return (
    <>
      <ListBar isExporting={csv.isRunning} isEmpty={!rows.count} onExport={csv.run}>
        <OptionalChoice {...bind('form')} aria-label={inbox.form} none={inbox.allForms} labels={new Map(names)} />
        <AgentSelect value={agentId} onChange={(agent) => change({ agent: agent ?? '' })} />
      </ListBar>
      <DataTable
        label={inbox.views.submissions}
        columns={columns}
        rows={rows}
        empty={{
          icon: IconForms,
          title: formName || agentId ? inbox.noMatches : terms.noSubmissions,
          text: formName || agentId ? undefined : inbox.noSubmissionsText,
        }}
      />
      {opened && (
        <Details submission={opened} title={titles.get(opened.formName) ?? opened.formName} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

function Details({ submission, title, onClose }: { submission: Submission; title: string; onClose(): void }) {
  const { actions, formats } = useStrings();
  const { values, labels, conversationId, createdAt, agentName } = submission;
  return (
    <Drawer onClose={onClose} title={title}>
      <Stack gap="sm">
        <Note>
          {agentName} · {formats.time(createdAt)}
        </Note>
        {Object.entries(values).map(([name, value]) => (
          <div key={name}>
            <Text size="xs" fw={600}>
              {String(labels[name] ?? name)}
            </Text>
            <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{textOf(value)}</Text>
          </div>
        ))}
        {conversationId && <PageLink to={`inbox/conversations/${conversationId}`} label={actions.openConversation} />}
      </Stack>
    </Drawer>
  );
}

/** The fields of the form become columns. Their names cannot hide the columns of the record. */
const recordOf = ({ id, formName, values, agentName, conversationId, createdAt }: Submission) => ({
  id,
  createdAt,
  form: formName,
  agent: agentName,
  conversationId,
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`values.${name}`, value])),
});
