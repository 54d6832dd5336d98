import { Badge, Button, Code, Group, SegmentedControl, Switch, Text } from '@mantine/core';
import { IconPlus, IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { useQuery } from '../../../graph/use-query.ts';
import { allRows, type Column, DataTable } from '../../../parts/data-table.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import type { TabProps } from '../documents.ts';
import { TOOLS, type Tool, UPDATE_TOOL } from './documents.ts';
import { DryRun } from './dry-run.tsx';
import { ToolCalls } from './tool-calls.tsx';
import { ToolForm } from './tool-form.tsx';

type Open = { kind: 'edit' | 'test'; tool: Tool } | { kind: 'new' };

/** The tools of the agent, and its calls. */
export function Tab({ agent }: TabProps) {
  const { agents } = useStrings();
  const query = useQuery({ query: TOOLS, variables: { agentId: agent.id } });
  const [view, setView] = useState<'tools' | 'calls'>('tools');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ kind: 'new' })}>
      {agents.addTool}
    </Button>
  );
  return (
    <Loaded query={query}>
      {({ tools }) => (
        <>
          <Group justify="space-between" mb="sm">
            <SegmentedControl
              aria-label={agents.tabs.tools}
              value={view}
              onChange={setView}
              data={[
                { value: 'tools', label: agents.tabs.tools },
                { value: 'calls', label: agents.calls },
              ]}
            />
            {tools.length > 0 && view === 'tools' && add}
          </Group>
          {view === 'calls' ? (
            <ToolCalls agentId={agent.id} />
          ) : (
            <ToolTable agentId={agent.id} tools={tools} onOpen={setOpen} add={add} />
          )}
          {open?.kind === 'test' && <DryRun agentId={agent.id} tool={open.tool} onClose={close} />}
          {(open?.kind === 'edit' || open?.kind === 'new') && (
            <ToolForm agentId={agent.id} tool={open.kind === 'edit' ? open.tool : undefined} onClose={close} />
          )}
        </>
      )}
    </Loaded>
  );
}

interface TableProps {
  agentId: string;
  tools: Tool[];
  onOpen(open: Open): void;
  add: React.ReactNode;
}

function ToolTable({ agentId, tools, onOpen, add }: TableProps) {
  const { agents } = useStrings();
  const [, update] = useMutation(UPDATE_TOOL);
  const columns: Column<Tool>[] = [
    { key: 'name', title: agents.name, width: 220, cell: ({ name }) => <Code>{name}</Code> },
    {
      key: 'request',
      title: agents.request,
      from: 'md',
      cell: ({ method, endpointUrl, mcpServerId }) => (
        <Text size="sm" truncate>
          <Badge size="sm" variant="light" color="gray" mr={6}>
            {mcpServerId ? 'MCP' : method}
          </Badge>
          {endpointUrl}
        </Text>
      ),
    },
    {
      key: 'enabled',
      title: agents.enabled,
      width: 100,
      cell: ({ id, name, enabled }) => (
        <Switch
          aria-label={`${agents.enabled}: ${name}`}
          checked={enabled}
          onChange={({ currentTarget }) => update({ agentId, id, input: { enabled: currentTarget.checked } })}
        />
      ),
    },
    {
      key: 'actions',
      title: agents.actions,
      width: 210,
      align: 'right',
      cell: (tool) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="xs"
            variant="light"
            aria-label={`${agents.dryRun}: ${tool.name}`}
            onClick={() => onOpen({ kind: 'test', tool })}
          >
            {agents.dryRun}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={`${agents.edit}: ${tool.name}`}
            onClick={() => onOpen({ kind: 'edit', tool })}
          >
            {agents.edit}
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <DataTable
      label={agents.tabs.tools}
      columns={columns}
      rows={allRows(tools)}
      empty={
        <Empty icon={IconTool} title={agents.noTools} text={agents.noToolsText}>
          {add}
        </Empty>
      }
    />
  );
}
