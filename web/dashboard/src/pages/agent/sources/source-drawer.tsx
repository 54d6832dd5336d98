import { Alert, Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useMutation } from 'urql';
import type { UpdateSourceMutationVariables } from '../../../../.graph/graphql.ts';
import { useConfirm } from '../../../parts/confirm.ts';
import { Drawer } from '../../../parts/dialog.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { DELETE_SOURCE, REFRESH_SOURCE, type Source, UPDATE_SOURCE } from './documents.ts';
import { SourceContent } from './source-content.tsx';
import { SourcePages } from './source-pages.tsx';
import { Status } from './status.tsx';

interface Props {
  source: Source;
  agentId: string;
  onClose(): void;
}

/** One source: its state, its pages or its text, and what can be done with it. */
export function SourceDrawer({ source, agentId, onClose }: Props) {
  const { agents } = useStrings();
  const formats = useFormats();
  const confirm = useConfirm();
  const [refreshing, refresh] = useMutation(REFRESH_SOURCE);
  const [, update] = useMutation(UPDATE_SOURCE);
  const [, remove] = useMutation(DELETE_SOURCE);
  const { id, name, type, url, status, error, refreshInterval, lastIndexedAt } = source;

  async function ask() {
    const question = { title: agents.deleteTitle(name), text: agents.deleteSourceText, action: agents.delete, danger: true };
    if (await confirm(question)) await remove({ id });
  }
  return (
    <Drawer
      onClose={onClose}
      position="right"
      size="xl"
      title={name}
      styles={{ body: { display: 'flex', flexDirection: 'column', height: 'calc(100dvh - 70px)' } }}
    >
      <Stack gap="sm" mb="md">
        <Group justify="space-between">
          <Status source={source} agentId={agentId} />
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              loading={refreshing.fetching}
              leftSection={<IconRefresh size={14} aria-hidden />}
              onClick={() => refresh({ id })}
            >
              {agents.readAgain}
            </Button>
            <Button size="xs" variant="light" color="red" leftSection={<IconTrash size={14} aria-hidden />} onClick={ask}>
              {agents.delete}
            </Button>
          </Group>
        </Group>
        {status === 'failed' && error && <Alert color="red">{error}</Alert>}
        {url && (
          <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Anchor>
        )}
        {lastIndexedAt && (
          <Text size="sm" c="dimmed">
            {agents.indexed}: {formats.time(lastIndexedAt)}
          </Text>
        )}
        {type === 'url' && (
          <Select
            label={agents.refreshInterval}
            maw={240}
            allowDeselect={false}
            value={refreshInterval}
            data={Object.entries(agents.intervals).map(([value, label]) => ({ value, label }))}
            onChange={(value) =>
              update({ id, input: { refreshInterval: value as UpdateSourceMutationVariables['input']['refreshInterval'] } })
            }
          />
        )}
      </Stack>
      {type === 'url' ? <SourcePages key={`${id} ${status}`} sourceId={id} /> : <SourceContent sourceId={id} />}
    </Drawer>
  );
}
