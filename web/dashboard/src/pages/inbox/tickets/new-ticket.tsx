import { Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import type { NewTicket as Input } from '../../../../.graph/graphql.ts';
import { Modal } from '../../../parts/dialog.tsx';
import { FormButtons } from '../../../parts/form-buttons.tsx';
import { useClosingForm } from '../../../parts/use-closing-form.ts';
import { useLeave } from '../../../parts/use-leave.ts';
import { useAddress } from '../../../session/organization.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { useAgentNames } from '../agent-select.tsx';
import { CREATE_TICKET } from './documents.ts';

/** Creates a ticket, and opens it. */
export function NewTicket({ onClose }: { onClose(): void }) {
  const { inbox, agents } = useStrings();
  const address = useAddress();
  const { leaveTo } = useLeave();
  const names = useAgentNames();
  const [{ fetching }, create] = useMutation(CREATE_TICKET);
  const form = useClosingForm({
    initialValues: {
      agentId: names.keys().next().value ?? '',
      subject: '',
      description: '',
      requesterName: '',
      requesterEmail: '',
      priority: 'normal',
    },
    validate: {
      agentId: (id) => (id ? null : agents.required),
      subject: (subject) => (subject.trim() ? null : agents.required),
    },
  });

  async function submit(values: typeof form.values) {
    const { data } = await create({ input: values as Input });
    if (!data) return;
    onClose();
    leaveTo(address(`inbox/tickets/${data.createTicket.id}`));
  }
  return (
    <Modal guarded onClose={onClose} title={inbox.newTicket}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput label={inbox.subject} maxLength={255} data-autofocus {...form.getInputProps('subject')} />
          <Textarea
            label={inbox.description}
            autosize
            minRows={3}
            maxRows={12}
            maxLength={20_000}
            {...form.getInputProps('description')}
          />
          <Group grow>
            <TextInput label={inbox.requester} maxLength={255} {...form.getInputProps('requesterName')} />
            <TextInput label={inbox.email} type="email" maxLength={320} {...form.getInputProps('requesterEmail')} />
          </Group>
          <Group grow>
            <Select
              label={inbox.priority}
              allowDeselect={false}
              data={Object.entries(inbox.priorities).map(([value, label]) => ({ value, label }))}
              {...form.getInputProps('priority')}
            />
            <Select
              label={inbox.agent}
              allowDeselect={false}
              searchable
              data={[...names].map(([value, label]) => ({ value, label }))}
              {...form.getInputProps('agentId')}
            />
          </Group>
          <FormButtons submit={inbox.newTicket} loading={fetching} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
