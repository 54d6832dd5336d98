import { Badge, Button, Code, Group, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { useQuery } from '../../../graph/use-query.ts';
import { useConfirm } from '../../../parts/confirm.ts';
import { allRows, type Column, DataTable } from '../../../parts/data-table.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { DELETE_SECRET, SECRETS, type Secret } from './documents.ts';
import { SecretForm } from './secret-form.tsx';

/** The secrets of the organization, which the tools of all agents share. */
export function Tab() {
  const { agents } = useStrings();
  const formats = useFormats();
  const confirm = useConfirm();
  const query = useQuery({ query: SECRETS });
  const [, remove] = useMutation(DELETE_SECRET);
  const [edited, setEdited] = useState<Secret | 'new'>();

  async function ask({ id, name }: Secret) {
    const question = { title: agents.deleteTitle(name), text: agents.deleteSecretText, action: agents.delete, danger: true };
    if (await confirm(question)) await remove({ id });
  }
  const columns: Column<Secret>[] = [
    { key: 'name', title: agents.name, cell: ({ name }) => <Code>{`{{secret:${name}}}`}</Code> },
    { key: 'value', title: agents.value, from: 'md', width: 120, cell: ({ maskedValue }) => maskedValue },
    {
      key: 'used',
      title: agents.usedBy,
      from: 'sm',
      cell: ({ tools, mcpServers }) => (
        <Group gap={4} wrap="nowrap">
          {[...tools, ...mcpServers].map(({ id, name }) => (
            <Badge key={id} variant="light" tt="none">
              {name}
            </Badge>
          ))}
        </Group>
      ),
    },
    { key: 'updated', title: agents.updated, width: 140, from: 'md', cell: ({ updatedAt }) => formats.ago(updatedAt) },
    {
      key: 'actions',
      title: agents.actions,
      width: 180,
      align: 'right',
      cell: (secret) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button size="xs" variant="default" aria-label={`${agents.replace}: ${secret.name}`} onClick={() => setEdited(secret)}>
            {agents.replace}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            aria-label={`${agents.delete}: ${secret.name}`}
            onClick={() => ask(secret)}
          >
            {agents.delete}
          </Button>
        </Group>
      ),
    },
  ];
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      {agents.addSecret}
    </Button>
  );
  return (
    <Loaded query={query}>
      {({ secrets }) => (
        <>
          {secrets.length > 0 && (
            <Group justify="space-between" mb="sm">
              <Text size="sm">{agents.secretsText}</Text>
              {create}
            </Group>
          )}
          <DataTable
            label={agents.tabs.secrets}
            columns={columns}
            rows={allRows(secrets)}
            empty={
              <Empty icon={IconKey} title={agents.noSecrets} text={agents.secretsText}>
                {create}
              </Empty>
            }
          />
          {edited && <SecretForm secret={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
        </>
      )}
    </Loaded>
  );
}
