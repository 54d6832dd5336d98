import { Badge, Button, Code, Group, Paper } from '@mantine/core';
import { useMutation } from 'urql';
import { useStrings } from '../../../strings/strings.tsx';
import { REMOVE_TOOL } from './documents.ts';

/** A chosen tool that the server no longer offers. */
export function WithdrawnTool({ agentId, tool: { id, name } }: { agentId: string; tool: { id: string; name: string } }) {
  const { agents } = useStrings();
  const [{ fetching }, remove] = useMutation(REMOVE_TOOL);
  return (
    <Paper component="li" withBorder p="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <Code>{name}</Code>
          <Badge color="orange" variant="light">
            {agents.withdrawn}
          </Badge>
        </Group>
        <Button
          size="xs"
          variant="default"
          loading={fetching}
          aria-label={`${agents.remove}: ${name}`}
          onClick={() => remove({ agentId, id })}
        >
          {agents.remove}
        </Button>
      </Group>
    </Paper>
  );
}
