import { Anchor, Badge, Button, Code, Drawer, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { usePages } from '../../../graph/pages.ts';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { Empty } from '../../../parts/states.tsx';
import { useAddress } from '../../../session/organization.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { TOOL_CALLS, type ToolCall } from './documents.ts';
import { RequestView } from './request-view.tsx';

const colors = { running: 'indigo', succeeded: 'teal', failed: 'red' } as const;

/** The calls that the model made, with their requests. */
export function ToolCalls({ agentId }: { agentId: string }) {
  const { agents } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const [opened, setOpened] = useState<ToolCall>();
  const rows = usePages(TOOL_CALLS, { agentId }, ({ toolCalls }) => toolCalls);
  const columns: Column<ToolCall>[] = [
    { key: 'time', title: agents.time, width: 170, cell: ({ createdAt }) => formats.ago(createdAt) },
    { key: 'tool', title: agents.tool, cell: ({ toolName }) => <Code>{toolName}</Code> },
    {
      key: 'status',
      title: agents.state,
      width: 140,
      cell: ({ status }) => (
        <Badge variant="light" color={colors[status]}>
          {agents.callStates[status]}
        </Badge>
      ),
    },
    {
      key: 'duration',
      title: agents.duration,
      width: 110,
      align: 'right',
      from: 'sm',
      cell: ({ durationMs }) => durationMs != null && agents.milliseconds(formats.number(durationMs)),
    },
    {
      key: 'actions',
      title: agents.actions,
      width: 110,
      align: 'right',
      cell: (call) => (
        <Button size="xs" variant="default" aria-label={`${agents.details}: ${call.toolName}`} onClick={() => setOpened(call)}>
          {agents.details}
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable label={agents.calls} columns={columns} rows={rows} empty={<Empty title={agents.noCalls} />} />
      <Drawer
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        position="right"
        size="lg"
        title={opened?.toolName}
      >
        {opened && (
          <Stack>
            <Text size="sm">{formats.time(opened.createdAt)}</Text>
            {opened.error && (
              <Text size="sm" c="red">
                {opened.error}
              </Text>
            )}
            {opened.request && <RequestView request={opened.request} />}
            {opened.conversationId && (
              <Anchor component={Link} size="sm" to={address(`inbox/conversations/${opened.conversationId}`)}>
                {agents.openConversation}
              </Anchor>
            )}
          </Stack>
        )}
      </Drawer>
    </>
  );
}
