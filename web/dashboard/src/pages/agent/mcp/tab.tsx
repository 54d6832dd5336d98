import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { IconPlus, IconServer2 } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from '../../../graph/use-query.ts';
import { allRows, type Column, DataTable } from '../../../parts/data-table.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import type { TabProps } from '../documents.ts';
import { SERVERS, type Server } from './documents.ts';
import { ServerForm } from './server-form.tsx';
import { ServerTools } from './server-tools.tsx';

type Open = { kind: 'edit' | 'tools'; server: Server } | { kind: 'new' };

/** The MCP servers of the agent, and the tools chosen of each. */
export function Tab({ agent }: TabProps) {
  const { agents } = useStrings();
  const query = useQuery({ query: SERVERS, variables: { agentId: agent.id } });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ kind: 'new' })}>
      {agents.addServer}
    </Button>
  );
  return (
    <Loaded query={query}>
      {({ mcpServers, tools }) => (
        <>
          {mcpServers.length > 0 && (
            <Group justify="space-between" mb="sm">
              <Text size="sm">{agents.serversText}</Text>
              {add}
            </Group>
          )}
          <DataTable
            label={agents.tabs.mcp}
            columns={columnsOf(agents, setOpen, ({ id }) => tools.filter(({ mcpServerId }) => mcpServerId === id).length)}
            rows={allRows(mcpServers)}
            empty={
              <Empty icon={IconServer2} title={agents.noServers} text={agents.serversText}>
                {add}
              </Empty>
            }
          />
          {open?.kind === 'tools' && <ServerTools agentId={agent.id} server={open.server} onClose={close} />}
          {(open?.kind === 'edit' || open?.kind === 'new') && (
            <ServerForm
              agentId={agent.id}
              server={open.kind === 'edit' ? open.server : undefined}
              onClose={close}
              onCreated={(server) => setOpen({ kind: 'tools', server })}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

type Strings = ReturnType<typeof useStrings>['agents'];

const columnsOf = (agents: Strings, onOpen: (open: Open) => void, chosen: (server: Server) => number): Column<Server>[] => [
  {
    key: 'name',
    title: agents.name,
    cell: (server) => (
      <UnstyledButton fz="sm" fw={500} c="var(--mantine-color-anchor)" onClick={() => onOpen({ kind: 'tools', server })}>
        {server.name}
      </UnstyledButton>
    ),
  },
  { key: 'url', title: agents.url, from: 'md', cell: ({ url }) => url },
  { key: 'chosen', title: agents.chosenTools, from: 'sm', width: 160, align: 'right', cell: (server) => chosen(server) },
  {
    key: 'actions',
    title: agents.actions,
    width: 130,
    align: 'right',
    cell: (server) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          size="xs"
          variant="light"
          visibleFrom="sm"
          aria-label={`${agents.tabs.tools}: ${server.name}`}
          onClick={() => onOpen({ kind: 'tools', server })}
        >
          {agents.tabs.tools}
        </Button>
        <Button
          size="xs"
          variant="default"
          aria-label={`${agents.edit}: ${server.name}`}
          onClick={() => onOpen({ kind: 'edit', server })}
        >
          {agents.edit}
        </Button>
      </Group>
    ),
  },
];
