import { Alert, Badge, CloseButton, Code, Group, Menu, Paper, Progress, Radio, Select, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useDisclosure, useInterval } from '@mantine/hooks';
import {
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnectedX,
  IconRefresh,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import { useParams, useSearchParams } from 'react-router';
import type { WebhookDeliveryStatus } from '../../../.graph/graphql.ts';
import { useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { usePicker } from '../../parts/dates.ts';
import { Action } from '../../parts/elements.tsx';
import { FormDialog, Modal, useForm } from '../../parts/forms-and-dialogs.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { Failure, Loaded, Loading, NotFound, PageState, PageTitle } from '../../parts/page-frame.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Editor } from '../../webhooks/editor.tsx';
import { State, useWebhooks } from '../../webhooks/use-webhooks.tsx';
import { ROTATE, SECRET, surfaces, type Webhook } from '../../webhooks/webhook-surfaces.ts';
import { Deliveries } from './deliveries.tsx';

/** One webhook of any surface, with its deliveries. */
export function Page() {
  const { id, surface } = useParams();
  const { webhooks, errors, retry } = useWebhooks();
  const webhook = webhooks?.find((each) => each.id === id && each.surface === surface);
  const [, error] = errors.find(([name]) => name === surface) ?? [];
  if (webhook) return <One webhook={webhook} />;
  if (error) return <Failure error={error} retry={retry} as={PageState} />;
  return webhooks ? <NotFound /> : <Loading />;
}

function One({ webhook }: { webhook: Webhook }) {
  const { webhooks } = useStrings();
  const { name, url, events, surface } = webhook;
  return (
    <>
      <PageTitle title={name ?? new URL(url).host}>
        <Actions webhook={webhook} />
      </PageTitle>
      <Stack gap="sm" mb="md">
        <Group gap="xs">
          <State webhook={webhook} />
          <Text>{webhooks.surfaces[surface]}</Text>
        </Group>
        <Code style={{ overflowWrap: 'anywhere', alignSelf: 'start' }}>{url}</Code>
        <Group gap={6}>
          {events.map((event) => (
            <Badge key={event} variant="default" tt="none" fw={500}>
              {event}
            </Badge>
          ))}
        </Group>
        {!webhook.enabled && <Disabled webhook={webhook} />}
        <ReplayProgress webhook={webhook} />
      </Stack>
      <Deliveries webhook={webhook} />
    </>
  );
}

function Disabled({ webhook }: { webhook: Webhook }) {
  const { webhooks, terms, actions, formats } = useStrings();
  const { enable, busy } = useSwitch(webhook);
  const { disabledAt } = webhook;
  return (
    <Alert
      color={disabledAt ? 'red' : 'gray'}
      icon={<IconPlugConnectedX aria-hidden />}
      title={disabledAt ? webhooks.disabledBy(formats.time(disabledAt)) : terms.disabled}
    >
      <Stack align="start" gap="sm">
        <Text>{disabledAt ? webhooks.disabledText : webhooks.pausedText}</Text>
        <Action label={actions.enable} size="xs" onClick={enable} loading={busy} />
      </Stack>
    </Alert>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const { id, surface, enabled } = webhook;
  const { webhooks, deliveries, actions } = useStrings();
  const { go } = useGo();
  const test = useButton(surfaces[surface].test, { done: webhooks.testDone });
  const [remove] = useAction(surfaces[surface].remove, {
    ask: { title: webhooks.removeTitle, text: webhooks.removeText, action: actions.delete },
    done: webhooks.removed,
    after: () => go('webhooks'),
  });
  const [editing, editor] = useDisclosure();
  const [replaying, replay] = useDisclosure();
  const [showing, secret] = useDisclosure();
  const { enable, disable } = useSwitch(webhook);

  return (
    <>
      <Action label={webhooks.test} variant="default" disabled={!enabled} icon={IconSend} {...test({ id })} />
      <MoreMenu label={actions.more} beside width={240}>
        <MenuAction label={deliveries.replayMany} icon={IconRefresh} onClick={replay.open} disabled={!enabled} />
        {surface !== 'events' && <MenuAction label={actions.edit} icon={IconPencil} onClick={editor.open} />}
        {surface === 'sites' && <MenuAction label={webhooks.secret} icon={IconKey} onClick={secret.open} />}
        {!enabled && <MenuAction label={actions.enable} icon={IconPlayerPlay} onClick={enable} />}
        {enabled && disable && <MenuAction label={actions.disable} icon={IconPlayerPause} onClick={disable} />}
        <Menu.Divider />
        <MenuAction label={actions.delete} color="red" icon={IconTrash} onClick={() => remove({ id })} />
      </MoreMenu>
      {editing && <Editor onClose={editor.close} webhook={webhook} />}
      {replaying && <ReplayForm webhook={webhook} onClose={replay.close} />}
      {showing && <SigningSecret id={id} onClose={secret.close} />}
    </>
  );
}

function useSwitch({ id, surface }: Webhook) {
  const { webhooks } = useStrings();
  const { enable, disable } = surfaces[surface];
  const [runEnable, busy] = useAction(enable, { done: webhooks.enabledDone });
  const [runDisable] = useAction(disable ?? enable, { done: webhooks.disabledDone });
  /** Webhooks of some surfaces cannot be disabled. */
  return { busy, enable: () => runEnable({ id }), disable: disable && (() => runDisable({ id })) };
}

/** Shows the signing secret of a webhook of a workspace, and replaces it. */
function SigningSecret({ id, onClose }: { id: string; onClose(): void }) {
  const { webhooks, formats } = useStrings();
  const query = useQuery({ query: SECRET, variables: { id }, requestPolicy: 'network-only' });
  const [rotate, fetching] = useAction(ROTATE);

  function askToRotate(until: string | null | undefined) {
    const force = until != null;
    const text = force ? webhooks.rotateAgainText(formats.time(until)) : webhooks.rotateText;
    return rotate({ id, force }, { title: webhooks.rotateTitle, text, action: webhooks.rotate, danger: force });
  }
  return (
    <Modal onClose={onClose} title={webhooks.secret} size="lg">
      <Loaded query={query}>
        {({ siteWebhookSecret: { secret, previousSecretExpiresAt: until } }) => (
          <Stack>
            <Secret value={secret} text={webhooks.secretText} />
            {until && <Text>{webhooks.previousUntil(formats.time(until))}</Text>}
            <Group justify="end">
              <Action label={webhooks.rotate} variant="default" onClick={() => askToRotate(until)} loading={fetching} />
            </Group>
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}

const ENDED: WebhookDeliveryStatus[] = ['failed', 'missed', 'delivered'];
const iso = (local: string | null) => (local ? new Date(local).toISOString() : null);

/** Chooses the deliveries to send again, and starts the replay. */
function ReplayForm({ webhook: { id, surface, disabledAt }, onClose }: { webhook: Webhook; onClose(): void }) {
  const { deliveries, terms } = useStrings();
  const picker = usePicker();
  const [, setParameters] = useSearchParams();
  const [start] = useAction(surfaces[surface].replayRange, {
    after({ replay }) {
      setParameters({ replay: replay.id }, { replace: true });
      onClose();
    },
  });
  const form = useForm({
    initialValues: {
      which: disabledAt ? 'sinceDisabled' : 'period',
      from: null as string | null,
      to: null as string | null,
      status: null as WebhookDeliveryStatus | null,
    },
    validate: { to: (to, { from }) => (from && to && to <= from ? deliveries.wrongPeriod : null) },
  });
  const isPeriod = form.values.which === 'period';

  const submit = ({ from, to, status }: typeof form.values) =>
    start({ id, range: isPeriod ? { from: iso(from), to: iso(to), status } : { sinceDisabled: true } });
  return (
    <FormDialog onClose={onClose} title={deliveries.replayMany} form={form} onSubmit={submit} submit={deliveries.start}>
      <Text>{deliveries.replayText}</Text>
      {disabledAt && (
        <Radio.Group {...form.field('which', deliveries.title)}>
          <Stack gap="xs" mt={6}>
            <Radio value="sinceDisabled" label={deliveries.sinceDisabled} />
            <Radio value="period" label={deliveries.period} />
          </Stack>
        </Radio.Group>
      )}
      {isPeriod && (
        <>
          <DateTimePicker {...form.field('from', deliveries.from, deliveries.fromHelp)} {...picker} />
          <DateTimePicker {...form.field('to', deliveries.to, deliveries.toHelp)} {...picker} />
          <Select
            {...form.field('status', terms.status)}
            placeholder={deliveries.ended}
            clearable
            data={ENDED.map((value) => ({ value, label: deliveries.statuses[value] }))}
          />
        </>
      )}
    </FormDialog>
  );
}

const PAUSE_MS = 2_000;

/** The progress of the replay in `?replay=`. */
function ReplayProgress({ webhook: { surface } }: { webhook: Webhook }) {
  const { deliveries, actions, formats } = useStrings();
  const [parameters, setParameters] = useSearchParams();
  const id = parameters.get('replay') ?? '';
  const { readReplay, stopReplay } = surfaces[surface];
  const [{ data }, refetch] = useQuery({ query: readReplay, variables: { id }, pause: !id });
  const stop = useButton(stopReplay);
  const polling = useInterval(() => refetch({ requestPolicy: 'network-only' }), PAUSE_MS);
  const isRunning = data?.replay.status === 'running';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the interval is stable.
  useEffect(() => {
    if (!isRunning) return;
    polling.start();
    return polling.stop;
  }, [isRunning]);
  if (!data || !id) return null;

  const { status, total, scheduled } = data.replay;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" wrap="nowrap" mb={6}>
        <Text role="status">
          {deliveries.progress(formats.number(scheduled), formats.number(total))} · {deliveries.replayStates[status]}
        </Text>
        {isRunning ? (
          <Action label={actions.stop} size="compact-sm" variant="default" {...stop({ id })} />
        ) : (
          <CloseButton aria-label={actions.close} onClick={() => setParameters({}, { replace: true })} />
        )}
      </Group>
      <Progress value={total > 0 ? (scheduled / total) * 100 : 100} aria-label={deliveries.replayMany} />
    </Paper>
  );
}
