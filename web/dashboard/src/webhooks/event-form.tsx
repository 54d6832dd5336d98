import { Button, Group, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import type { EventSubscriptionSource } from '../../.graph/graphql.ts';
import { useQuery } from '../graph/use-query.ts';
import { useClosingForm } from '../parts/use-closing-form.ts';
import { useStrings } from '../strings/strings.tsx';
import { AGENTS, SUBSCRIBE } from './events.ts';
import type { FormProps } from './surface.ts';
import { eventsOf } from './surfaces.ts';
import { useRules } from './use-rules.ts';

/** Subscribes an address to one event of the agents. */
export function EventForm({ onDone }: FormProps) {
  const { webhooks, signIn } = useStrings();
  const rules = useRules();
  const [{ data: agents }] = useQuery({ query: AGENTS });
  const [{ fetching }, subscribe] = useMutation(SUBSCRIBE);
  const form = useClosingForm({
    initialValues: {
      targetUrl: '',
      event: eventsOf.events[0]!,
      agentId: null as string | null,
      source: 'custom' as EventSubscriptionSource,
    },
    validate: { targetUrl: rules.url },
  });
  async function submit(input: typeof form.values) {
    const { data } = await subscribe({ input }, { showsSecret: true });
    if (data) onDone(data.made);
  }
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack>
        <TextInput
          data-autofocus
          label={webhooks.url}
          description={webhooks.urlHelp}
          type="url"
          maxLength={2048}
          placeholder="https://example.com/hook"
          {...form.getInputProps('targetUrl')}
        />
        <Select
          label={webhooks.event}
          description={webhooks.oneEvent}
          allowDeselect={false}
          data={eventsOf.events}
          {...form.getInputProps('event')}
        />
        <Select
          label={webhooks.agent}
          placeholder={webhooks.allAgents}
          clearable
          data={agents?.agents.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          {...form.getInputProps('agentId')}
        />
        <Radio.Group label={webhooks.receiver} {...form.getInputProps('source')}>
          <Stack gap="xs" mt={6}>
            <Radio value="custom" label={webhooks.custom} />
            <Radio value="automation" label={webhooks.automation} />
          </Stack>
        </Radio.Group>
        <Group justify="end">
          <Button type="submit" loading={fetching}>
            {signIn.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
