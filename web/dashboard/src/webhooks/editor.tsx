import { Alert, Checkbox, Group, Input, Radio, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { CombinedError } from 'urql';
import type {
  EventSubscriptionSource,
  NewEventSubscriptions,
  NewSiteWebhook,
  NewWebhook,
  WebhookMethod,
} from '../../.graph/graphql.ts';
import { useAction, useQuery } from '../graph/graph-hooks.ts';
import { Action, Submit } from '../parts/elements.tsx';
import { Choice, editsOf, Modal, Segments, useClosingForm } from '../parts/forms-and-dialogs.tsx';
import { showDone } from '../parts/overlays.tsx';
import { Loaded } from '../parts/page-frame.tsx';
import { useArgumentRefusal } from '../parts/refusals.ts';
import { Secret } from '../parts/secret.tsx';
import { useGo } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';
import {
  AGENTS,
  CHANGE_SITE_WEBHOOK,
  CHANGE_WEBHOOK,
  CREATE_SITE_WEBHOOK,
  CREATE_WEBHOOK,
  type EventGroup,
  eventGroups,
  SUBSCRIBE,
  type SurfaceName,
  type Webhook,
  WORKSPACE_NAMES,
} from './webhook-surfaces.ts';

interface EditorProps {
  onClose(): void;
  webhook?: Webhook;
  /** The surface to start with. */
  surface?: SurfaceName;
}

/** Creates a webhook on any surface, or changes one. */
export function Editor({ onClose, webhook, surface: first = 'catalog' }: EditorProps) {
  const { webhooks, actions } = useStrings();
  const { leaveTo } = useGo();
  const [chosen, setChosen] = useState<SurfaceName>();
  const [made, setMade] = useState<{ page: string; secret: string }>();
  const surface = webhook?.surface ?? chosen ?? first;

  function done(next: Made) {
    showDone(next ? webhooks.createdDone : webhooks.saved);
    if (!next) return onClose();
    // Several subscriptions have no page of their own.
    const page = next.ids.length === 1 ? `webhooks/${surface}/${next.ids[0]}` : `webhooks?surface=${surface}`;
    if (next.secret) return setMade({ page, secret: next.secret });
    return leaveFor(page);
  }
  function leaveFor(page: string) {
    onClose();
    leaveTo(page);
  }
  return (
    <Modal
      guarded={!made}
      onClose={made ? () => leaveFor(made.page) : onClose}
      title={made ? webhooks.secret : webhook ? actions.edit : webhooks.create}
      size="lg"
      closeOnClickOutside={!made}
    >
      {made ? (
        <Secret value={made.secret} text={webhooks.secretOnce} />
      ) : (
        <Stack>
          {!webhook && <Segments aria-label={webhooks.filter} value={surface} onChange={setChosen} labels={webhooks.surfaces} />}
          <WebhookForm key={surface} surface={surface} webhook={webhook} onDone={done} />
        </Stack>
      )}
    </Modal>
  );
}

/** A new webhook, with its secret if the page shows it only once. Undefined after a change. */
type Made = { ids: readonly string[]; secret?: string | null } | undefined;

interface FormProps {
  surface: SurfaceName;
  webhook?: Webhook;
  onDone(made: Made): void;
}

/** The form of a surface. Only webhooks of sites belong to a workspace, which must exist. */
function WebhookForm(props: FormProps) {
  const { webhooks } = useStrings();
  const query = useQuery({ query: WORKSPACE_NAMES, pause: props.surface !== 'sites' });
  if (props.surface !== 'sites') return <Fields {...props} workspaces={[]} />;
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

interface Values {
  workspaceId: string;
  name: string;
  url: string;
  method: WebhookMethod;
  events: readonly string[];
  agentId: string | null;
  source: EventSubscriptionSource;
}

const METHODS: WebhookMethod[] = ['post', 'put', 'patch'];
const catalogInput = ({ url, method, events }: Values) => ({ url, method, eventType: [...events] as NewWebhook['eventType'] });
const siteInput = ({ name, url, events }: Values) => ({ name, url, events: [...events] as NewSiteWebhook['events'] });

function Fields({ surface, webhook, onDone, workspaces }: FormProps & { workspaces: { value: string; label: string }[] }) {
  const { webhooks, actions, terms, pages } = useStrings();
  const [isOfSite, isOfAgents] = [surface === 'sites', surface === 'events'];
  const [{ data: agents }] = useQuery({ query: AGENTS, pause: !isOfAgents });
  const refuse = useArgumentRefusal();
  const failed = (error: CombinedError) => refuse(form, labels, error);
  const context = { showsSecret: true };
  const changing = { failed, after: () => onDone(undefined) };
  const [createWebhook, isCreating] = useAction(CREATE_WEBHOOK, {
    failed,
    context,
    after: ({ made }) => onDone({ ids: [made.id], secret: made.secret }),
  });
  const [createSiteWebhook, isCreatingSite] = useAction(CREATE_SITE_WEBHOOK, {
    failed,
    after: ({ made }) => onDone({ ids: [made.id] }),
  });
  const [subscribe, isSubscribing] = useAction(SUBSCRIBE, {
    failed,
    context,
    after: ({ made }) => onDone({ ids: made.subscriptions.map(({ id }) => id), secret: made.secret }),
  });
  const [changeWebhook, isChanging] = useAction(CHANGE_WEBHOOK, changing);
  const [changeSiteWebhook, isChangingSite] = useAction(CHANGE_SITE_WEBHOOK, changing);
  const isBusy = isCreating || isCreatingSite || isSubscribing || isChanging || isChangingSite;
  const form = useClosingForm<Values>({
    initialValues: {
      workspaceId: webhook?.workspaceId ?? workspaces[0]?.value ?? '',
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      method: webhook?.method ?? 'post',
      events: [...(webhook?.events ?? [])],
      agentId: null,
      source: 'custom',
    },
    // The server repeats these checks and is authoritative.
    validate: {
      name: (name) => (!isOfSite || name.trim() ? null : terms.required),
      url: (url) => (/^https?:\/\/[^\s/]+/.test(url) ? null : webhooks.wrongUrl),
      events: (events) => (events.length > 0 ? null : webhooks.chooseEvents),
    },
  });

  const url = ['url', terms.address] as const;
  const events = ['events', webhooks.events] as const;
  const labels = { url, targetUrl: url, name: ['name', terms.name], events, eventType: events } as const;

  function submit(values: Values) {
    const { workspaceId, url: targetUrl, events: chosen, agentId, source } = values;
    const before = form.getInitialValues();
    if (webhook && isOfSite) return changeSiteWebhook({ id: webhook.id, input: editsOf(siteInput(values), siteInput(before)) });
    if (webhook) return changeWebhook({ id: webhook.id, input: editsOf(catalogInput(values), catalogInput(before)) });
    if (isOfSite) return createSiteWebhook({ input: { workspaceId, ...siteInput(values) } });
    if (!isOfAgents) return createWebhook({ input: catalogInput(values) });
    return subscribe({ input: { targetUrl, events: [...chosen] as NewEventSubscriptions['events'], agentId, source } });
  }
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack>
        {isOfSite && !webhook && <Choice {...form.field('workspaceId', webhooks.workspace)} data={workspaces} />}
        {isOfSite && <TextInput {...form.field('name', terms.name)} maxLength={255} />}
        <TextInput
          {...form.field('url', terms.address, surface === 'catalog' ? undefined : webhooks.urlHelp)}
          data-autofocus={isOfSite ? undefined : true}
          type="url"
          maxLength={2048}
          placeholder="https://example.com/hook"
        />
        {surface === 'catalog' && (
          <Choice {...form.field('method', terms.method)} data={METHODS.map((value) => ({ value, label: value.toUpperCase() }))} />
        )}
        {isOfAgents ? (
          <>
            <EventChoice groups={eventGroups.events} description={webhooks.oneEvent} {...form.getInputProps('events')} />
            <Select
              {...form.field('agentId', pages.agent)}
              placeholder={terms.allAgents}
              clearable
              data={agents?.agents.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            />
            <Radio.Group {...form.field('source', webhooks.receiver)}>
              <Stack gap="xs" mt={6}>
                <Radio value="custom" label={webhooks.custom} />
                <Radio value="automation" label={webhooks.automation} />
              </Stack>
            </Radio.Group>
          </>
        ) : (
          <EventChoice groups={eventGroups[surface]} {...form.getInputProps('events')} />
        )}
        <Submit label={webhook ? actions.save : actions.create} loading={isBusy} />
      </Stack>
    </form>
  );
}

interface Props {
  groups: readonly [EventGroup, readonly string[]][];
  description?: string;
  value?: string[];
  onChange(events: string[]): void;
  error?: ReactNode;
}

/** The events that a webhook receives, with a click for each, for a group, or for all. */
function EventChoice({ groups, description, value = [], onChange, error }: Props) {
  const { webhooks } = useStrings();
  return (
    <Input.Wrapper
      label={webhooks.events}
      description={description}
      error={error}
      labelElement="div"
      role="group"
      aria-label={webhooks.events}
    >
      <Group gap="xs" my={6}>
        <Action
          label={webhooks.chooseAll}
          size="compact-xs"
          variant="subtle"
          onClick={() => onChange(groups.flatMap(([, events]) => [...events]))}
        />
        <Action label={webhooks.chooseNone} size="compact-xs" variant="subtle" onClick={() => onChange([])} />
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mb="xs">
        {groups.map(([group, events]) => (
          <EventGroupChoice key={group} label={webhooks.groups[group]} events={events} value={value} onChange={onChange} />
        ))}
      </SimpleGrid>
    </Input.Wrapper>
  );
}

interface GroupProps {
  label: string;
  events: readonly string[];
  value: string[];
  onChange(events: string[]): void;
}

/** The events of a group, and a box for all of them where there are several. */
function EventGroupChoice({ label, events, value, onChange }: GroupProps) {
  const chosen = events.filter((event) => value.includes(event));
  const isWhole = chosen.length === events.length;
  const others = value.filter((event) => !events.includes(event));
  return (
    <Stack gap={6} role="group" aria-label={label}>
      {events.length > 1 && (
        <Checkbox
          fw={600}
          label={label}
          checked={isWhole}
          indeterminate={chosen.length > 0 && !isWhole}
          onChange={() => onChange(isWhole ? others : [...others, ...events])}
        />
      )}
      <Checkbox.Group value={value} onChange={onChange}>
        <Stack gap={6} pl={events.length > 1 ? 'lg' : 0}>
          {events.map((event) => (
            <Checkbox key={event} value={event} label={event} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}
