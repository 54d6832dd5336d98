import { Button, Checkbox, Group, SimpleGrid, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMutation } from 'urql';
import type { ApiKeysQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { Modal } from '../../parts/dialog.tsx';
import { showDone } from '../../parts/toast.ts';
import { useStrings } from '../../strings/strings.tsx';

const CHANGE = graphql(`
  mutation ChangeKeyTools($id: ID!, $toolGroups: [ToolGroup!]!) { updateApiKey(id: $id, toolGroups: $toolGroups) { id toolGroups } }
`);

export type ToolGroup = ApiKeysQuery['apiKeys'][number]['toolGroups'][number];

// A record, so that a group that is missing here is an error of the types.
const groups: Record<ToolGroup, true> = {
  'catalog-read': true,
  'catalog-write': true,
  jobs: true,
  'agents-read': true,
  'agents-write': true,
  'integration-read': true,
  'integration-write': true,
  'site-content-read': true,
  'site-content-write': true,
};
const all = Object.keys(groups) as ToolGroup[];
/** The groups that change nothing, which new keys have by default. */
export const readGroups = all.filter((group) => group.endsWith('-read'));

interface Props {
  value?: ToolGroup[];
  onChange(groups: ToolGroup[]): void;
  error?: ReactNode;
}

/** The MCP tools that a key may call. */
export function ToolGroups({ value, onChange, error }: Props) {
  const { keys } = useStrings();
  return (
    <Checkbox.Group
      label={keys.tools}
      description={keys.toolsHelp}
      value={value}
      onChange={(next) => onChange(next as ToolGroup[])}
      error={error}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" my="xs">
        {all.map((group) => (
          <Checkbox key={group} value={group} label={group} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}

/** Changes the MCP tools of a key. */
export function KeyTools({
  apiKey: { id, name, toolGroups },
  onClose,
}: {
  apiKey: ApiKeysQuery['apiKeys'][number];
  onClose(): void;
}) {
  const { keys, actions } = useStrings();
  const [chosen, setChosen] = useState<ToolGroup[]>(toolGroups);
  const [{ fetching }, change] = useMutation(CHANGE);
  async function save() {
    const { data } = await change({ id, toolGroups: chosen });
    if (!data) return;
    showDone(keys.saved);
    onClose();
  }
  return (
    <Modal onClose={onClose} title={name}>
      <Stack>
        <ToolGroups value={chosen} onChange={setChosen} />
        <Group justify="end">
          <Button onClick={save} loading={fetching}>
            {actions.save}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
