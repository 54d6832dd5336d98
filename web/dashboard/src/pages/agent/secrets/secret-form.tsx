import { PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import { Modal } from '../../../parts/dialog.tsx';
import { FormButtons } from '../../../parts/form-buttons.tsx';
import { useClosingForm } from '../../../parts/use-closing-form.ts';
import { useStrings } from '../../../strings/strings.tsx';
import { CREATE_SECRET, type Secret, UPDATE_SECRET } from './documents.ts';

/** Creates a secret, or replaces the value of one. The form never shows a stored value. */
export function SecretForm({ secret, onClose }: { secret?: Secret; onClose(): void }) {
  const { agents, actions } = useStrings();
  const [creation, create] = useMutation(CREATE_SECRET);
  const [change, update] = useMutation(UPDATE_SECRET);
  const form = useClosingForm({
    initialValues: { name: secret?.name ?? '', value: '' },
    validate: {
      name: (name) => (/^[A-Z][A-Z0-9_]{0,63}$/.test(name) ? null : agents.wrongSecretName),
      value: (value) => (value ? null : agents.required),
    },
  });

  async function submit({ name, value }: typeof form.values) {
    const { data } = secret ? await update({ id: secret.id, value }) : await create({ name, value });
    if (data) onClose();
  }
  return (
    <Modal guarded onClose={onClose} title={secret ? agents.replaceTitle(secret.name) : agents.addSecret}>
      <form onSubmit={form.onSubmit(submit)} autoComplete="off">
        <Stack>
          {!secret && (
            <TextInput
              label={agents.name}
              description={agents.secretNameHelp}
              placeholder="SHOP_API_KEY"
              data-autofocus
              maxLength={64}
              {...form.getInputProps('name')}
            />
          )}
          <PasswordInput
            label={agents.value}
            description={agents.secretValueHelp}
            autoComplete="new-password"
            maxLength={8_192}
            data-autofocus={secret ? true : undefined}
            visibilityToggleButtonProps={{ 'aria-label': agents.showValue }}
            {...form.getInputProps('value')}
          />
          <FormButtons submit={actions.save} loading={creation.fetching || change.fetching} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
