import { CloseButton, Group, Paper, Progress, Radio, Select, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useForm } from '@mantine/form';
import { useInterval } from '@mantine/hooks';
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { useMutation } from 'urql';
import type { WebhookDeliveryStatus } from '../../../.graph/graphql.ts';
import { useQuery } from '../../graph/graph-hooks.ts';
import { usePicker } from '../../parts/dates.ts';
import { Action, Submit } from '../../parts/elements.tsx';
import { Modal } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { surfaces, type Webhook } from '../../webhooks/webhook-surfaces.ts';

const ENDED: WebhookDeliveryStatus[] = ['failed', 'missed', 'delivered'];
const iso = (local: string | null) => (local ? new Date(local).toISOString() : null);

/** Chooses the deliveries to send again, and starts the replay. */
export function ReplayForm({ webhook: { id, surface, disabledAt }, onClose }: { webhook: Webhook; onClose(): void }) {
  const { deliveries, terms } = useStrings();
  const picker = usePicker();
  const [, setParameters] = useSearchParams();
  const [{ fetching }, start] = useMutation(surfaces[surface].replayRange);
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

  async function submit({ from, to, status }: typeof form.values) {
    const range = isPeriod ? { from: iso(from), to: iso(to), status } : { sinceDisabled: true };
    const { data } = await start({ id, range });
    if (!data) return;
    setParameters({ replay: data.replay.id }, { replace: true });
    onClose();
  }
  return (
    <Modal onClose={onClose} title={deliveries.replayMany}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <Text>{deliveries.replayText}</Text>
          {disabledAt && (
            <Radio.Group label={deliveries.title} {...form.getInputProps('which')}>
              <Stack gap="xs" mt={6}>
                <Radio value="sinceDisabled" label={deliveries.sinceDisabled} />
                <Radio value="period" label={deliveries.period} />
              </Stack>
            </Radio.Group>
          )}
          {isPeriod && (
            <>
              <DateTimePicker
                {...picker}
                label={deliveries.from}
                description={deliveries.fromHelp}
                {...form.getInputProps('from')}
              />
              <DateTimePicker {...picker} label={deliveries.to} description={deliveries.toHelp} {...form.getInputProps('to')} />
              <Select
                label={terms.status}
                placeholder={deliveries.ended}
                clearable
                data={ENDED.map((value) => ({ value, label: deliveries.statuses[value] }))}
                {...form.getInputProps('status')}
              />
            </>
          )}
          <Submit label={deliveries.start} loading={fetching} />
        </Stack>
      </form>
    </Modal>
  );
}

const PAUSE_MS = 2_000;

/** The progress of the replay in `?replay=`. */
export function ReplayProgress({ webhook: { surface } }: { webhook: Webhook }) {
  const { deliveries, actions, formats } = useStrings();
  const [parameters, setParameters] = useSearchParams();
  const id = parameters.get('replay') ?? '';
  const { readReplay, stopReplay } = surfaces[surface];
  const [{ data }, refetch] = useQuery({ query: readReplay, variables: { id }, pause: !id });
  const [{ fetching }, stop] = useMutation(stopReplay);
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
          <Action label={actions.stop} size="compact-sm" variant="default" onClick={() => stop({ id })} loading={fetching} />
        ) : (
          <CloseButton aria-label={actions.close} onClick={() => setParameters({}, { replace: true })} />
        )}
      </Group>
      <Progress value={total > 0 ? (scheduled / total) * 100 : 100} aria-label={deliveries.replayMany} />
    </Paper>
  );
}
