import { Code, Group, Stack, Switch, Text } from '@mantine/core';
import { IconPlus, IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { actionColumn, allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, PageLink, SmallAction, Tag } from '../../parts/elements.tsx';
import { Drawer, Segments, ticked } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import { DryRun, RequestView, ToolCall } from './dry-run.tsx';
import { type Tool, ToolForm, UPDATE_TOOL } from './tool-form.tsx';

const TOOLS = graphql(`
  query Tools($agentId: ID!) {
    tools(agentId: $agentId) {
      id mcpServerId name description inputSchema endpointUrl method headersTemplate queryTemplate bodyTemplate enabled timeoutMs
      allowedDomains responseMapping { kind path truncateChars }
      effect approval confirmation data requiresVerifiedVisitor destructive writes unprotected
    }
  }
`);

type Open = { kind: 'edit' | 'test'; tool: Tool } | { kind: 'new' };

/** The tools of the agent, and its calls. */
export function Tab({ agent }: TabProps) {
  const { agents, terms } = useStrings();
  const query = useQuery({ query: TOOLS, variables: { agentId: agent.id } });
  const [view, setView] = useState<'tools' | 'calls'>('tools');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const add = <Action label={agents.addTool} icon={IconPlus} onClick={() => setOpen({ kind: 'new' })} />;
  return (
    <Loaded query={query}>
      {({ tools }) => (
        <>
          <Group justify="space-between" mb="sm">
            <Segments
              aria-label={agents.tabs.tools}
              value={view}
              onChange={setView}
              labels={{ tools: agents.tabs.tools, calls: terms.calls }}
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
  const { agents, terms, table, actions } = useStrings();
  const [, update] = useMutation(UPDATE_TOOL);
  const columns: Column<Tool>[] = [
    { key: 'name', title: terms.name, width: 220, cell: ({ name }) => <Code>{name}</Code> },
    {
      key: 'request',
      title: agents.request,
      from: 'md',
      cell: ({ method, endpointUrl, mcpServerId }) => (
        <Text truncate>
          <Tag label={mcpServerId ? 'MCP' : method} size="sm" color="gray" mr={6} />
          {endpointUrl}
        </Text>
      ),
    },
    {
      key: 'safety',
      title: agents.safety.protection,
      width: 190,
      cell: (tool) =>
        tool.unprotected ? (
          <Group gap={6} wrap="nowrap">
            <Tag label={agents.safety.unprotected} size="sm" color="red" />
            <SmallAction
              label={agents.safety.protect}
              variant="subtle"
              of={tool.name}
              onClick={() => update({ agentId, id: tool.id, input: { approval: 'visitor' } })}
            />
          </Group>
        ) : (
          <Tag label={agents.safety.protected} size="sm" color="teal" />
        ),
    },
    {
      key: 'enabled',
      title: agents.enabled,
      width: 100,
      cell: ({ id, name, enabled }) => (
        <Switch
          {...ticked(enabled, (enabled) => update({ agentId, id, input: { enabled } }))}
          aria-label={`${agents.enabled}: ${name}`}
        />
      ),
    },
    actionColumn(table.actions, 210, (tool) => (
      <>
        <SmallAction label={agents.test} variant="light" of={tool.name} onClick={() => onOpen({ kind: 'test', tool })} />
        <SmallAction label={actions.edit} of={tool.name} onClick={() => onOpen({ kind: 'edit', tool })} />
      </>
    )),
  ];
  return (
    <DataTable
      label={agents.tabs.tools}
      columns={columns}
      rows={allRows(tools)}
      empty={{ icon: IconTool, title: agents.noTools, text: agents.noToolsText, action: add }}
    />
  );
}

const TOOL_CALLS = graphql(`
  query ToolCalls($agentId: ID!, $page: Int!, $limit: Int!) {
    toolCalls(agentId: $agentId, page: $page, limit: $limit) {
      nodes {
        id toolName conversationId status responseStatus durationMs error createdAt request { method url headers body }
        approval { text decidedByName decidedAt }
      }
      pagination { total }
    }
  }
`);

const colors = { running: 'indigo', succeeded: 'teal', failed: 'red' } as const;

/** The calls that the model made, with their requests. */
function ToolCalls({ agentId }: { agentId: string }) {
  const { agents, terms, table, actions, formats } = useStrings();
  const [opened, setOpened] = useState<ToolCall>();
  const rows = usePages(TOOL_CALLS, { agentId }, ({ toolCalls }) => toolCalls);
  const columns: Column<ToolCall>[] = [
    { key: 'time', title: terms.time, width: 170, cell: ({ createdAt }) => formats.ago(createdAt) },
    { key: 'tool', title: terms.tool, cell: ({ toolName }) => <Code>{toolName}</Code> },
    {
      key: 'status',
      title: terms.state,
      width: 140,
      cell: ({ status }) => <Tag label={agents.callStates[status]} color={colors[status]} />,
    },
    {
      key: 'duration',
      title: agents.duration,
      width: 110,
      align: 'right',
      from: 'sm',
      cell: ({ durationMs }) => durationMs != null && agents.milliseconds(formats.number(durationMs)),
    },
    actionColumn(table.actions, 110, (call) => (
      <SmallAction label={agents.details} of={call.toolName} onClick={() => setOpened(call)} />
    )),
  ];
  return (
    <>
      <DataTable label={terms.calls} columns={columns} rows={rows} empty={{ title: agents.noCalls }} />
      {opened && (
        <Drawer onClose={() => setOpened(undefined)} size="lg" title={opened.toolName}>
          <Stack>
            <Text>{formats.time(opened.createdAt)}</Text>
            {opened.error && <Text c="red">{opened.error}</Text>}
            {opened.approval?.decidedAt && (
              <div>
                <Text>
                  {agents.approvedBy(opened.approval.decidedByName ?? agents.theVisitor, formats.time(opened.approval.decidedAt))}
                </Text>
                <Text c="dimmed" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
                  {opened.approval.text}
                </Text>
              </div>
            )}
            {opened.request && <RequestView request={opened.request} />}
            {opened.conversationId && (
              <PageLink to={`inbox/conversations/${opened.conversationId}`} label={actions.openConversation} />
            )}
          </Stack>
        </Drawer>
      )}
    </>
  );
}
