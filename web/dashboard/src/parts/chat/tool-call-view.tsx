import { Accordion, Code, Group, Stack, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useStrings } from '../../strings/strings.tsx';
import { Tag } from '../elements.tsx';

/** One part of a message in the format of the AI SDK, as far as the pages show it. */
export interface MessagePart {
  type: string;
  text?: string;
  toolCallId?: string;
  state?:
    | 'input-streaming'
    | 'input-available'
    | 'approval-requested'
    | 'approval-responded'
    | 'output-available'
    | 'output-error'
    | 'output-denied';
  approval?: { id?: string; approved?: boolean };
  input?: unknown;
  output?: unknown;
  errorText?: string;
  sourceId?: string;
  url?: string;
  title?: string;
}
const toolNameOf = ({ type }: MessagePart): string => type.slice('tool-'.length);

const json = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** One tool call of a reply. It opens to the parameters and the result. */
export function ToolCallView({ call }: { call: MessagePart }) {
  const { chat, terms } = useStrings();
  const state = call.state ?? 'input-available';
  const color = state === 'output-available' ? 'teal' : state === 'output-error' ? 'red' : 'gray';
  return (
    <Accordion variant="contained" chevronPosition="right">
      <Accordion.Item value="call">
        <Accordion.Control icon={<IconTool size={16} aria-hidden />}>
          <Group gap="xs">
            <Code>{toolNameOf(call)}</Code>
            <Tag label={chat.toolStates[state]} size="sm" color={color} />
          </Group>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="xs">
            {call.input !== undefined && <Labeled label={terms.parameters} text={json(call.input)} />}
            {call.output !== undefined && <Labeled label={terms.result} text={json(call.output)} />}
            {call.errorText && <Labeled label={terms.error} text={call.errorText} />}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

/** A block of code or JSON with a label. Long blocks scroll. */
export const Labeled = ({ label, text }: { label: string; text: string }) => (
  <div>
    <Text size="xs" fw={600}>
      {label}
    </Text>
    <Code block mah={260} tabIndex={0} style={{ overflow: 'auto' }}>
      {text}
    </Code>
  </div>
);
