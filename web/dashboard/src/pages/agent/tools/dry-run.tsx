import { Alert, Badge, Button, Group, JsonInput, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useMutation } from 'urql';
import { Labeled } from '../../../parts/chat/tool-call-view.tsx';
import { Drawer } from '../../../parts/dialog.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { TEST_TOOL, type Tool, type ToolTest } from './documents.ts';
import { exampleOf } from './example.ts';
import { RequestView } from './request-view.tsx';
import { objectOf } from './values.ts';

interface Props {
  agentId: string;
  tool: Tool;
  onClose(): void;
}

/** Calls a tool with parameters of the reader, and shows the request, the response and the result for the model. */
export function DryRun({ agentId, tool, onClose }: Props) {
  const { agents } = useStrings();
  const [text, setText] = useState(() => JSON.stringify(exampleOf(tool.inputSchema), null, 2));
  const [{ fetching, data }, test] = useMutation(TEST_TOOL);
  const input = objectOf(text);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (input !== undefined) void test({ agentId, id: tool.id, input: input ?? {} }, { keep: true });
  }
  return (
    <Drawer onClose={onClose} position="right" size="xl" title={`${agents.dryRun}: ${tool.name}`}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{agents.dryRunText}</Text>
          <JsonInput
            label={agents.parameters}
            autosize
            minRows={4}
            maxRows={14}
            spellCheck={false}
            data-autofocus
            value={text}
            onChange={setText}
            error={input === undefined ? agents.wrongJson : undefined}
          />
          <Group justify="flex-end">
            <Button
              type="submit"
              loading={fetching}
              disabled={input === undefined}
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
            >
              {agents.call}
            </Button>
          </Group>
        </Stack>
      </form>
      <div role="status">{data && <Outcome test={data.testTool} />}</div>
    </Drawer>
  );
}

function Outcome({ test: { request, response, result, error } }: { test: ToolTest }) {
  const { agents, chat } = useStrings();
  const formats = useFormats();
  return (
    <Stack mt="md">
      {error && (
        <Alert color="red" title={agents.callFailed}>
          {error}
        </Alert>
      )}
      {request && <RequestView request={request} />}
      {response && (
        <div>
          <Group gap="xs">
            <Badge color={response.status < 400 ? 'teal' : 'red'} variant="light">
              {response.status}
            </Badge>
            <Text size="sm">{agents.milliseconds(formats.number(response.durationMs))}</Text>
            {response.truncated && <Badge color="yellow">{agents.truncated}</Badge>}
          </Group>
          <Labeled label={agents.response} text={response.snippet} />
        </div>
      )}
      {!error && (
        <Labeled
          label={`${chat.result} (${agents.forModel})`}
          text={typeof result === 'string' ? result : JSON.stringify(result, null, 2)}
        />
      )}
    </Stack>
  );
}
