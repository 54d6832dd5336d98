import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import type { WebhookMethod } from '../../.graph/graphql.ts';
import { editsOf } from '../parts/edits.ts';
import { useClosingForm } from '../parts/use-closing-form.ts';
import { useStrings } from '../strings/strings.tsx';
import { CHANGE_WEBHOOK, CREATE_WEBHOOK } from './catalog.ts';
import { EventChoice } from './event-choice.tsx';
import type { FormProps } from './surface.ts';
import { eventsOf } from './surfaces.ts';
import { useRules } from './use-rules.ts';

const METHODS: WebhookMethod[] = ['post', 'put', 'patch'];
type Event = (typeof eventsOf.catalog)[number];

export function CatalogForm({ webhook, onDone }: FormProps) {
  const { webhooks, actions, signIn } = useStrings();
  const rules = useRules();
  const [{ fetching: creating }, create] = useMutation(CREATE_WEBHOOK);
  const [{ fetching: changing }, change] = useMutation(CHANGE_WEBHOOK);
  const form = useClosingForm({
    initialValues: {
      url: webhook?.url ?? '',
      method: webhook?.method ?? 'post',
      eventType: [...(webhook?.events ?? [])] as Event[],
    },
    validate: { url: rules.url, eventType: rules.events },
  });
  async function submit(input: typeof form.values) {
    if (webhook) {
      const { data } = await change({ id: webhook.id, input: editsOf(input, form.getInitialValues()) });
      if (data) onDone(undefined);
      return;
    }
    const { data } = await create({ input }, { showsSecret: true });
    if (data) onDone(data.made);
  }
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack>
        <TextInput
          data-autofocus
          label={webhooks.url}
          type="url"
          maxLength={2048}
          placeholder="https://example.com/hook"
          {...form.getInputProps('url')}
        />
        <Select
          label={webhooks.method}
          allowDeselect={false}
          data={METHODS.map((value) => ({ value, label: value.toUpperCase() }))}
          {...form.getInputProps('method')}
        />
        <EventChoice all={eventsOf.catalog} {...form.getInputProps('eventType')} />
        <Group justify="end">
          <Button type="submit" loading={creating || changing}>
            {webhook ? actions.save : signIn.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
