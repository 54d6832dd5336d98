import { Badge, Button, Code, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { useMutation } from 'urql';
import { codeOf, messageOf } from '../../../graph/client.ts';
import { useStrings } from '../../../strings/strings.tsx';
import { CHOOSE_TOOL, REMOVE_TOOL, type RemoteTool } from './documents.ts';

interface Props {
  agentId: string;
  serverId: string;
  tool: RemoteTool;
}

/** One tool of a server. If its name is taken, another one is asked for. */
export function RemoteToolEntry({ agentId, serverId, tool: { name, description, inputSchema, tool } }: Props) {
  const { agents } = useStrings();
  const [choosing, choose] = useMutation(CHOOSE_TOOL);
  const [removing, remove] = useMutation(REMOVE_TOOL);
  const [isTaken, setTaken] = useState(false);
  const [problem, setProblem] = useState<string>();

  async function add(localName?: string) {
    setProblem(undefined);
    const { error } = await choose({ serverId, input: { remoteName: name, name: localName } }, { quiet: true });
    setTaken(error ? isTaken || codeOf(error) === 'CONFLICT' : false);
    if (error) setProblem(messageOf(error));
  }
  const parameters = Object.keys((inputSchema.properties as object | undefined) ?? {});
  return (
    <Paper component="li" withBorder p="sm" aria-label={name}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Group gap="xs" miw={0}>
            <Code style={{ overflowWrap: 'anywhere' }}>{name}</Code>
            {tool && (
              <Badge variant="light" color={tool.enabled ? 'teal' : 'gray'}>
                {tool.enabled ? agents.chosen : agents.chosenDisabled}
              </Badge>
            )}
          </Group>
          {tool ? (
            <Button
              size="xs"
              variant="default"
              flex="none"
              loading={removing.fetching}
              aria-label={`${agents.remove}: ${name}`}
              onClick={() => remove({ agentId, id: tool.id })}
            >
              {agents.remove}
            </Button>
          ) : (
            <Button
              size="xs"
              variant="light"
              flex="none"
              loading={choosing.fetching && !isTaken}
              aria-label={`${agents.choose}: ${name}`}
              onClick={() => add()}
            >
              {agents.choose}
            </Button>
          )}
        </Group>
        {tool && tool.name !== name && (
          <Text size="xs" c="dimmed">
            {agents.knownAs(tool.name)}
          </Text>
        )}
        <Description text={description} />
        {parameters.length > 0 && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {agents.parameters}: {parameters.join(', ')}
          </Text>
        )}
        {!tool && isTaken && <OtherName problem={problem} loading={choosing.fetching} onSave={add} />}
        {!tool && !isTaken && problem && (
          <Text size="sm" role="alert" c="var(--mantine-color-error)">
            {problem}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

/** Longer descriptions are folded. */
const LONG = 200;

function Description({ text }: { text: string }) {
  const { agents } = useStrings();
  const [isOpen, { toggle }] = useDisclosure();
  const isLong = text.length > LONG;
  return (
    <div>
      <Text size="sm" lineClamp={isLong && !isOpen ? 3 : undefined} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      {isLong && (
        <Button variant="subtle" size="compact-xs" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? agents.less : agents.more}
        </Button>
      )}
    </div>
  );
}

function OtherName({ problem, loading, onSave }: { problem?: string; loading: boolean; onSave(name: string): void }) {
  const { agents } = useStrings();
  const [name, setName] = useState('');
  const isWrong = name !== '' && !/^[a-z][a-z0-9_]{0,63}$/.test(name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name && !isWrong) onSave(name);
  };
  return (
    <form onSubmit={save}>
      <Group align="flex-start" gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          label={agents.otherName}
          description={agents.toolNameHelp}
          error={isWrong ? agents.wrongToolName : problem}
          maxLength={64}
          readOnly={loading}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          autoFocus
        />
        <Button type="submit" mt={45} loading={loading}>
          {agents.choose}
        </Button>
      </Group>
    </form>
  );
}
