import { Alert, Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import { useQuery } from '../graph/use-query.ts';
import { editsOf } from '../parts/edits.ts';
import { Loaded } from '../parts/states.tsx';
import { useClosingForm } from '../parts/use-closing-form.ts';
import { useStrings } from '../strings/strings.tsx';
import { EventChoice } from './event-choice.tsx';
import { CHANGE_SITE_WEBHOOK, CREATE_SITE_WEBHOOK, WORKSPACE_NAMES } from './sites.ts';
import type { FormProps } from './surface.ts';
import { eventsOf } from './surfaces.ts';
import { useRules } from './use-rules.ts';

type Event = (typeof eventsOf.sites)[number];

export function SiteForm(props: FormProps) {
  const { webhooks } = useStrings();
  const query = useQuery({ query: WORKSPACE_NAMES });
  return (
    <Loaded query={query}>
      {({ workspaces: { nodes } }) =>
        nodes.length === 0 ? (
          <Alert color="yellow">{webhooks.noWorkspace}</Alert>
        ) : (
          <Fields {...props} workspaces={nodes.map(({ id, name }) => ({ value: id, label: name }))} />
        )
      }
    </Loaded>
  );
}

function Fields({ webhook, onDone, workspaces }: FormProps & { workspaces: { value: string; label: string }[] }) {
  const { webhooks, actions, signIn } = useStrings();
  const rules = useRules();
  const [{ fetching: creating }, create] = useMutation(CREATE_SITE_WEBHOOK);
  const [{ fetching: changing }, change] = useMutation(CHANGE_SITE_WEBHOOK);
  const form = useClosingForm({
    initialValues: {
      workspaceId: webhook?.workspaceId ?? workspaces[0]!.value,
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      events: [...(webhook?.events ?? [])] as Event[],
    },
    validate: { name: rules.text, url: rules.url, events: rules.events },
  });
  async function submit({ workspaceId, ...input }: typeof form.values) {
    if (webhook) {
      const { data } = await change({ id: webhook.id, input: editsOf(input, form.getInitialValues()) });
      if (data) onDone(undefined);
      return;
    }
    const { data } = await create({ input: { workspaceId, ...input } });
    if (data) onDone(data.made);
  }
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack>
        {!webhook && (
          <Select label={webhooks.workspace} allowDeselect={false} data={workspaces} {...form.getInputProps('workspaceId')} />
        )}
        <TextInput label={webhooks.name} maxLength={255} {...form.getInputProps('name')} />
        <TextInput
          label={webhooks.url}
          description={webhooks.urlHelp}
          type="url"
          maxLength={2048}
          placeholder="https://example.com/hook"
          {...form.getInputProps('url')}
        />
        <EventChoice all={eventsOf.sites} {...form.getInputProps('events')} />
        <Group justify="end">
          <Button type="submit" loading={creating || changing}>
            {webhook ? actions.save : signIn.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
