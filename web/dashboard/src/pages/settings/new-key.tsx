import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from 'urql';
import { graphql } from '../../graph/graphql.ts';
import { Modal } from '../../parts/dialog.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useClosingForm } from '../../parts/use-closing-form.ts';
import { useStrings } from '../../strings/strings.tsx';
import { readGroups, ToolGroups } from './tool-groups.tsx';

const CREATE = graphql(`
  mutation CreateKey($name: String!, $expiresAt: DateTime, $toolGroups: [ToolGroup!]) {
    createApiKey(name: $name, expiresAt: $expiresAt, toolGroups: $toolGroups) { key apiKey { id } }
  }
`);
const DAY_MS = 86_400_000;
const PERIODS = ['30', '90', '365', ''] as const;

/** Creates a key and shows its value once. */
export function NewKey({ onClose }: { onClose(): void }) {
  const { keys, signIn } = useStrings();
  const [{ fetching }, create] = useMutation(CREATE);
  const [made, setMade] = useState('');
  const form = useClosingForm({
    initialValues: { name: '', days: '90', toolGroups: [...readGroups] },
    validate: { name: (name) => (name.trim() ? null : signIn.required) },
  });

  async function submit({ name, days, toolGroups }: typeof form.values) {
    const expiresAt = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null;
    const { data } = await create({ name, toolGroups, expiresAt }, { showsSecret: true });
    if (data?.createApiKey.key) setMade(data.createApiKey.key);
  }
  return (
    <Modal guarded={!made} onClose={onClose} title={made ? form.values.name : keys.create} size="lg" closeOnClickOutside={!made}>
      {made ? (
        <Secret value={made} label={keys.value} text={keys.once} />
      ) : (
        <form onSubmit={form.onSubmit(submit)}>
          <Stack>
            <TextInput
              data-autofocus
              label={signIn.name}
              description={keys.nameHelp}
              maxLength={255}
              {...form.getInputProps('name')}
            />
            <Select
              label={keys.expires}
              allowDeselect={false}
              data={PERIODS.map((value) => ({ value, label: value ? keys.days(Number(value)) : keys.never }))}
              {...form.getInputProps('days')}
            />
            <ToolGroups {...form.getInputProps('toolGroups')} />
            <Group justify="end">
              <Button type="submit" loading={fetching}>
                {signIn.create}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
