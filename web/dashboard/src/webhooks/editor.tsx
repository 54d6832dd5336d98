import { Alert, Checkbox, Group, Radio, SegmentedControl, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMutation } from 'urql';
import type { EventSubscriptionSource, WebhookMethod } from '../../.graph/graphql.ts';
import { useQuery } from '../graph/use-query.ts';
import { Modal } from '../parts/dialog.tsx';
import { Action, Submit } from '../parts/elements.tsx';
import { editsOf, useClosingForm } from '../parts/forms.tsx';
import { useLeave } from '../parts/leaving.ts';
import { showDone } from '../parts/overlays.tsx';
import { Secret } from '../parts/secret.tsx';
import { Loaded } from '../parts/states.tsx';
import { useAddress } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';
import {
  AGENTS,
  CHANGE_SITE_WEBHOOK,
  CHANGE_WEBHOOK,
  CREATE_SITE_WEBHOOK,
  CREATE_WEBHOOK,
  eventsOf,
  type FormProps,
  type Made,
  SUBSCRIBE,
  type SurfaceName,
  surfaceNames,
  type Webhook,
  WORKSPACE_NAMES,
} from './surfaces.ts';

const METHODS: WebhookMethod[] = ['post', 'put', 'patch'];
type CatalogEvent = (typeof eventsOf.catalog)[number];

function CatalogForm({ webhook, onDone }: FormProps) {
  const { webhooks, actions, signIn } = useStrings();
  const rules = useRules();
  const [{ fetching: creating }, create] = useMutation(CREATE_WEBHOOK);
  const [{ fetching: changing }, change] = useMutation(CHANGE_WEBHOOK);
  const form = useClosingForm({
    initialValues: {
      url: webhook?.url ?? '',
      method: webhook?.method ?? 'post',
      eventType: [...(webhook?.events ?? [])] as CatalogEvent[],
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
        <Submit label={webhook ? actions.save : signIn.create} loading={creating || changing} />
      </Stack>
    </form>
  );
}

/** Subscribes an address to one event of the agents. */
function EventForm({ onDone }: FormProps) {
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
        <Submit label={signIn.create} loading={fetching} />
      </Stack>
    </form>
  );
}

type SiteEvent = (typeof eventsOf.sites)[number];

function SiteForm(props: FormProps) {
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
      events: [...(webhook?.events ?? [])] as SiteEvent[],
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
        <Submit label={webhook ? actions.save : signIn.create} loading={creating || changing} />
      </Stack>
    </form>
  );
}

/** Also the properties of a field of a form. */
interface Props {
  all: readonly string[];
  value?: string[];
  onChange(events: string[]): void;
  error?: ReactNode;
}

/** The events that a webhook receives. */
function EventChoice({ all, value, onChange, error }: Props) {
  const { webhooks } = useStrings();
  return (
    <Checkbox.Group label={webhooks.events} value={value} onChange={onChange} error={error}>
      <Group gap="xs" my={6}>
        <Action label={webhooks.chooseAll} size="compact-xs" variant="subtle" onClick={() => onChange([...all])} />
        <Action label={webhooks.chooseNone} size="compact-xs" variant="subtle" onClick={() => onChange([])} />
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mb="xs">
        {all.map((event) => (
          <Checkbox key={event} value={event} label={event} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}

/** The checks of the fields of a webhook. The server has the last word. */
function useRules() {
  const { webhooks } = useStrings();
  return {
    url: (url: string) => (/^https?:\/\/[^\s/]+/.test(url) ? null : webhooks.wrongUrl),
    text: (text: string) => (text.trim() ? null : webhooks.required),
    events: (events: readonly string[]) => (events.length > 0 ? null : webhooks.chooseEvents),
  };
}

const forms = { catalog: CatalogForm, events: EventForm, sites: SiteForm };

interface EditorProps {
  onClose(): void;
  webhook?: Webhook;
  /** The surface to start with. */
  surface?: SurfaceName;
}

/** Creates a webhook on any surface, or changes one. */
export function Editor({ onClose, webhook, surface: first = 'catalog' }: EditorProps) {
  const { webhooks } = useStrings();
  const address = useAddress();
  const { leaveTo } = useLeave();
  const [chosen, setChosen] = useState<SurfaceName>();
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const surface = webhook?.surface ?? chosen ?? first;
  const Form = forms[surface];

  function done(next: Made) {
    showDone(next ? webhooks.createdDone : webhooks.saved);
    if (!next) return onClose();
    if (next.secret) return setMade({ id: next.id, secret: next.secret });
    return leaveTo(address(`webhooks/${surface}/${next.id}`));
  }
  return (
    <Modal
      guarded={!made}
      onClose={made ? () => leaveTo(address(`webhooks/${surface}/${made.id}`)) : onClose}
      title={made ? webhooks.secret : webhook ? webhooks.edit : webhooks.create}
      size="lg"
      closeOnClickOutside={!made}
    >
      {made ? (
        <Secret value={made.secret} text={webhooks.secretOnce} />
      ) : (
        <Stack>
          {!webhook && (
            <SegmentedControl
              aria-label={webhooks.filter}
              value={surface}
              onChange={(value) => setChosen(value as SurfaceName)}
              data={surfaceNames.map((value) => ({ value, label: webhooks.surfaces[value] }))}
            />
          )}
          <Form webhook={webhook} onDone={done} />
        </Stack>
      )}
    </Modal>
  );
}
