import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { IconBooks, IconFileText, IconHelpCircle, IconPlus, IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from '../../../graph/use-query.ts';
import { allRows, type Column, DataTable } from '../../../parts/data-table.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import type { TabProps } from '../documents.ts';
import { AddSource } from './add-source.tsx';
import { SOURCES, type Source } from './documents.ts';
import { Retrieval } from './retrieval.tsx';
import { SourceDrawer } from './source-drawer.tsx';
import { Status } from './status.tsx';

const icons = { url: IconWorld, text: IconFileText, qa: IconHelpCircle };

/** The sources from which the agent answers. */
export function Tab({ agent }: TabProps) {
  const { agents } = useStrings();
  const formats = useFormats();
  const query = useQuery({ query: SOURCES, variables: { agentId: agent.id } });
  const [opened, setOpened] = useState<string>();
  const [dialog, setDialog] = useState<'add' | 'test'>();
  const columns: Column<Source>[] = [
    {
      key: 'name',
      title: agents.name,
      cell: ({ id, type, name }) => {
        const Icon = icons[type as keyof typeof icons];
        return (
          <UnstyledButton onClick={() => setOpened(id)} c="var(--mantine-color-anchor)">
            <Group gap="xs" wrap="nowrap" component="span">
              <Icon size={16} aria-label={agents.sourceTypes[type as keyof typeof icons]} />
              <Text span size="sm" truncate>
                {name}
              </Text>
            </Group>
          </UnstyledButton>
        );
      },
    },
    { key: 'status', title: agents.state, width: 250, cell: (source) => <Status source={source} agentId={agent.id} /> },
    {
      key: 'pages',
      title: agents.pagesRead,
      width: 110,
      align: 'right',
      from: 'md',
      cell: ({ type, pageCount, failedPageCount }) => (
        <Text size="sm" c={failedPageCount > 0 ? 'red' : undefined}>
          {type === 'url' ? agents.of(formats.number(pageCount), formats.number(pageCount + failedPageCount)) : '–'}
        </Text>
      ),
    },
    {
      key: 'passages',
      title: agents.passages,
      width: 110,
      align: 'right',
      from: 'sm',
      cell: ({ chunkCount }) => formats.number(chunkCount),
    },
    {
      key: 'indexed',
      title: agents.indexed,
      width: 150,
      from: 'md',
      cell: ({ lastIndexedAt }) => lastIndexedAt && formats.ago(lastIndexedAt),
    },
  ];
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog('add')}>
      {agents.addSource}
    </Button>
  );
  return (
    <Loaded query={query}>
      {({ sources }) => {
        const source = sources.find(({ id }) => id === opened);
        return (
          <>
            {sources.length > 0 && (
              <Group justify="flex-end" mb="sm" gap="xs">
                <Button variant="default" onClick={() => setDialog('test')}>
                  {agents.testRetrieval}
                </Button>
                {add}
              </Group>
            )}
            <DataTable
              label={agents.tabs.sources}
              columns={columns}
              rows={allRows(sources)}
              empty={
                <Empty icon={IconBooks} title={agents.noSources} text={agents.noSourcesText}>
                  {add}
                </Empty>
              }
            />
            {dialog === 'add' && <AddSource agentId={agent.id} onClose={() => setDialog(undefined)} />}
            {dialog === 'test' && <Retrieval agentId={agent.id} onClose={() => setDialog(undefined)} />}
            {source && <SourceDrawer source={source} agentId={agent.id} onClose={() => setOpened(undefined)} />}
          </>
        );
      }}
    </Loaded>
  );
}
