import { Button, Group, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation } from 'urql';
import { useConfirm } from '../../../parts/confirm.ts';
import { useLeave } from '../../../parts/use-leave.ts';
import { useAddress } from '../../../session/organization.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { DELETE_AGENT, type TabProps } from '../documents.ts';

export function DeleteAgent({ agent }: TabProps) {
  const { agents } = useStrings();
  const confirm = useConfirm();
  const address = useAddress();
  const { leaveTo } = useLeave();
  const [, remove] = useMutation(DELETE_AGENT);

  async function ask() {
    const question = { title: agents.deleteTitle(agent.name), text: agents.deleteText, action: agents.delete, danger: true };
    if (!(await confirm(question))) return;
    // The page of a deleted agent would show an error, so leave it first.
    const { data } = await remove({ id: agent.id }, { keep: true });
    if (!data) return;
    leaveTo(address('agents'));
  }
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {agents.deleteText}
      </Text>
      <Button color="red" variant="light" leftSection={<IconTrash size={16} aria-hidden />} onClick={ask}>
        {agents.delete}
      </Button>
    </Group>
  );
}
