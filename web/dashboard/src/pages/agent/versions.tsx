import { Box, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconGitBranch, IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import type { VersionPart, VersionsQuery } from '../../../.graph/graphql.ts';
import { graphql, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { actionColumn, type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, Note, SmallAction, Tag } from '../../parts/elements.tsx';
import { Modal } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';

const VERSIONS = graphql(`
  query Versions($agentId: ID!, $page: Int!, $limit: Int!) {
    agentVersions(agentId: $agentId, page: $page, limit: $limit) {
      nodes { id number note published authorName overrideReason createdAt }
      pagination { total }
    }
  }
`);
const CHANGES = graphql(`query VersionChanges($id: ID!) { agentVersion(id: $id) { id changes { part name field before after } } }`);
const OPEN = graphql(`mutation OpenDraft($agentId: ID!) { openAgentDraft(agentId: $agentId) { id } }`);
const RESTORE = graphql(`mutation RestoreVersion($id: ID!) { restoreAgentVersion(id: $id) { id } }`);

type Version = VersionsQuery['agentVersions']['nodes'][number];

/** The versions of the agent, newest first, and the way to its draft. */
export function Tab({ agent }: TabProps) {
  const { versions, terms } = useStrings();
  const { leaveTo } = useGo();
  const [shown, setShown] = useState<Version>();
  const rows = usePages(VERSIONS, { agentId: agent.id }, ({ agentVersions }) => agentVersions);
  const open = useButton(OPEN, { after: ({ openAgentDraft: { id } }) => leaveTo(`agents/${id}`) });
  const edit = (
    <Action label={agent.draftId ? versions.open : versions.edit} icon={IconGitBranch} {...open({ agentId: agent.id })} />
  );
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text maw={640}>{versions.text}</Text>
        {edit}
      </Group>
      <DataTable
        minHeight={320}
        label={terms.version}
        columns={useColumns(setShown)}
        rows={rows}
        empty={{ icon: IconHistory, title: versions.none, text: versions.noneText }}
      />
      {shown && <Changes version={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function useColumns(show: (version: Version) => void): Column<Version>[] {
  const { tests, versions, terms, table, formats } = useStrings();
  return [
    { key: 'number', title: terms.version, width: 90, cell: ({ number }) => number },
    {
      key: 'note',
      title: versions.note,
      cell: ({ note, published, overrideReason }) =>
        !published ? versions.direct : overrideReason ? [note, tests.overridden(overrideReason)].filter(Boolean).join(' · ') : note,
    },
    { key: 'author', title: versions.author, width: 180, from: 'md', cell: ({ authorName }) => authorName },
    { key: 'made', title: versions.made, width: 140, from: 'sm', cell: ({ createdAt }) => formats.ago(createdAt) },
    actionColumn(table.actions, 250, (version) => (
      <>
        <SmallAction label={terms.changes} of={versions.number(version.number)} onClick={() => show(version)} />
        <Restore version={version} />
      </>
    )),
  ];
}

function Restore({ version: { id, number } }: { version: Version }) {
  const { versions, actions } = useStrings();
  const { leaveTo } = useGo();
  const restore = useButton(RESTORE, {
    ask: { title: versions.restoreTitle(number), text: versions.restoreText, action: actions.restore, danger: false },
    done: versions.restored(number),
    after: ({ restoreAgentVersion }) => leaveTo(`agents/${restoreAgentVersion.id}`),
  });
  return <SmallAction label={actions.restore} variant="subtle" of={versions.number(number)} {...restore({ id })} />;
}

function Changes({ version, onClose }: { version: Version; onClose(): void }) {
  const { versions } = useStrings();
  const query = useQuery({ query: CHANGES, variables: { id: version.id } });
  return (
    <Modal title={versions.changesOf(version.number)} size="lg" onClose={onClose}>
      <Loaded query={query}>{({ agentVersion: { changes } }) => <ChangeList changes={changes} />}</Loaded>
    </Modal>
  );
}

interface Change {
  part: VersionPart;
  name?: string | null;
  field?: string | null;
  before?: string | null;
  after?: string | null;
}

/** The differences between two states of an agent. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  const { versions } = useStrings();
  if (changes.length === 0) return <Note>{versions.noChanges}</Note>;
  return (
    <Stack gap="sm">
      {changes.map((change) => (
        <ChangeView key={`${change.part} ${change.name} ${change.field}`} change={change} />
      ))}
    </Stack>
  );
}

function ChangeView({ change: { part, name, field, before = null, after = null } }: { change: Change }) {
  const { versions, audit, terms } = useStrings();
  const labels: Record<string, string> = audit.settings;
  const isWhole = !field;
  return (
    <Paper withBorder p="sm">
      <Group gap="xs" mb="xs">
        <Text fw={600}>{[versions.parts[part], name, field && (labels[field] ?? field)].filter(Boolean).join(' › ')}</Text>
        {isWhole && <Tag label={before === null ? versions.added : versions.removed} color={before === null ? 'teal' : 'red'} />}
      </Group>
      {!isWhole && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <Side label={terms.before} text={before} />
          <Side label={versions.after} text={after} />
        </SimpleGrid>
      )}
    </Paper>
  );
}

function Side({ label, text }: { label: string; text: string | null }) {
  const { terms } = useStrings();
  return (
    <Box miw={0}>
      <Note>{label}</Note>
      <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text === null || text === '' ? <Note>{terms.empty}</Note> : text}
      </Text>
    </Box>
  );
}
