import { Alert, Badge, Group, JsonInput, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import type { DryRunResultFragment, ToolCallsQuery } from '../../../.graph/graphql.ts';
import { objectOf } from '../../agents/request-import.ts';
import { graphql, useAction, useButton } from '../../graph/graph-hooks.ts';
import { Labeled } from '../../parts/chat/tool-call-view.tsx';
import { Action, Tag } from '../../parts/elements.tsx';
import { Drawer } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { Tool } from './tool-form.tsx';

export type ToolCall = ToolCallsQuery['toolCalls']['nodes'][number];

graphql(`
  fragment DryRunResult on ToolTest {
    request { method url headers body } response { status durationMs snippet truncated } result error
  }
`);
const TEST_TOOL = graphql(`
  mutation TestTool($agentId: ID!, $id: ID!, $input: JSONObject!) { testTool(agentId: $agentId, id: $id, input: $input) { ...DryRunResult } }
`);
const PREVIEW_TOOL = graphql(`
  mutation PreviewTool($agentId: ID!, $id: ID!, $input: JSONObject!) {
    previewTool(agentId: $agentId, id: $id, input: $input) { ...DryRunResult }
  }
`);

/** Shows the request of a tool with parameters of the reader, or sends it, and shows the request, the response and the result for the model. */
export function DryRun({ agentId, tool, onClose }: { agentId: string; tool: Tool; onClose(): void }) {
  const { agents, terms, actions } = useStrings();
  const [text, setText] = useState(() => JSON.stringify(exampleOf(tool.inputSchema), null, 2));
  const [shown, setShown] = useState<{ test: DryRunResultFragment; isSent: boolean }>();
  const input = objectOf(text);
  const variables = { agentId, id: tool.id, input: input ?? {} };
  const question = { title: agents.sendTitle(tool.name), text: agents.sendText, action: agents.call, danger: false };
  const [test, isTesting] = useAction(TEST_TOOL, {
    ask: tool.writes ? question : undefined,
    after: (data) => setShown({ test: data.testTool, isSent: true }),
    context: { keep: true },
  });
  const preview = useButton(PREVIEW_TOOL, {
    after: (data) => setShown({ test: data.previewTool, isSent: false }),
    context: { keep: true },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (input !== undefined) void test(variables);
  }
  return (
    <Drawer onClose={onClose} size="xl" title={`${agents.test}: ${tool.name}`}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{agents.dryRunText}</Text>
          <JsonInput
            label={terms.parameters}
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
            <Action label={actions.preview} variant="default" disabled={input === undefined} {...preview(variables)} />
            <Action label={agents.call} type="submit" loading={isTesting} disabled={input === undefined} icon={IconPlayerPlay} />
          </Group>
        </Stack>
      </form>
      <div role="status">{shown && <Outcome {...shown} />}</div>
    </Drawer>
  );
}

function Outcome({ test: { request, response, result, error }, isSent }: { test: DryRunResultFragment; isSent: boolean }) {
  const { agents, terms, formats } = useStrings();
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
            <Tag label={response.status} color={response.status < 400 ? 'teal' : 'red'} />
            <Text>{agents.milliseconds(formats.number(response.durationMs))}</Text>
            {response.truncated && <Badge color="yellow">{agents.truncated}</Badge>}
          </Group>
          <Labeled label={terms.response} text={response.snippet} />
        </div>
      )}
      {!isSent && !error && <Alert color="gray">{agents.nothingSent}</Alert>}
      {isSent && !error && (
        <Labeled
          label={`${terms.result} (${agents.forModel})`}
          text={typeof result === 'string' ? result : JSON.stringify(result, null, 2)}
        />
      )}
    </Stack>
  );
}

interface Schema {
  type?: string | string[];
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
}

const blanks: Record<string, unknown> = { string: '', number: 0, integer: 0, boolean: false, array: [], null: null };

/** A value of the form that a JSON schema describes, for a person to fill in. */
function exampleOf(schema: Schema): unknown {
  const { default: preset, examples, enum: options, properties } = schema;
  const given = preset ?? examples?.[0] ?? options?.[0];
  if (given !== undefined) return given;
  const [type = 'object'] = [schema.type ?? 'object'].flat();
  if (type !== 'object') return blanks[type];
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, property]) => [name, exampleOf(property)]));
}

/** A request that was sent, as text. The server masks secrets. */
export function RequestView({ request }: { request: NonNullable<ToolCall['request']> }) {
  const { agents } = useStrings();
  const { method, url, headers, body } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return <Labeled label={agents.request} text={[`${method} ${url}`, ...lines, ...(body ? ['', body] : [])].join('\n')} />;
}
