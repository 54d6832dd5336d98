import { Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import { Modal } from '../../parts/dialog.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useClosingForm } from '../../parts/use-closing-form.ts';
import { useLeave } from '../../parts/use-leave.ts';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { CREATE_AGENT } from './documents.ts';

/** Creates an agent, and leads to its settings. */
export function NewAgent({ onClose }: { onClose(): void }) {
  const { agents } = useStrings();
  const address = useAddress();
  const { leaveTo } = useLeave();
  const [{ fetching }, create] = useMutation(CREATE_AGENT);
  const form = useClosingForm({
    initialValues: { name: '', welcomeMessage: '', systemPrompt: '' },
    validate: { name: (name) => (name.trim() ? null : agents.required) },
  });

  async function submit(input: typeof form.values) {
    const { data } = await create({ input });
    if (data) leaveTo(address(`agents/${data.createAgent.id}`));
  }
  return (
    <Modal guarded onClose={onClose} title={agents.create}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput
            label={agents.name}
            description={agents.nameHelp}
            maxLength={255}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <TextInput label={agents.welcomeMessage} maxLength={4_000} {...form.getInputProps('welcomeMessage')} />
          <Textarea
            label={agents.systemPrompt}
            description={agents.systemPromptHelp}
            autosize
            minRows={3}
            maxRows={10}
            maxLength={100_000}
            {...form.getInputProps('systemPrompt')}
          />
          <FormButtons submit={agents.create} loading={fetching} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
