import { Box, Group, SegmentedControl, Text, Title, UnstyledButton } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { WebhookDeliveryStatus } from '../../../.graph/graphql.ts';
import { useLive } from '../../graph/live.ts';
import { usePages } from '../../graph/pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/states.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import type { Delivery, Webhook } from '../../webhooks/surface.ts';
import { surfaces } from '../../webhooks/surfaces.ts';
import { DeliveryDetails } from './delivery.tsx';
import { DeliveryStatus } from './delivery-status.tsx';

const STATUSES: WebhookDeliveryStatus[] = ['pending', 'delivered', 'failed', 'missed'];
/** Milliseconds in which several new deliveries cause one read of the list. */
const PAUSE_MS = 1_000;

/** The deliveries of a webhook, newest first, updated with every attempt. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { deliveries: strings } = useStrings();
  const [status, setStatus] = useState<WebhookDeliveryStatus>();
  const [opened, setOpened] = useState<string>();
  const { deliveries, updates } = surfaces[webhook.surface];
  const rows = usePages(deliveries, { id: webhook.id, status: status ?? null }, ({ list }) => list);
  const refresh = useThrottled(() => rows.retry?.());
  useLive(updates, { id: webhook.id }, refresh);
  return (
    <>
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} size="h4">
          {strings.title}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={strings.status}
          value={status ?? ''}
          onChange={(value) => setStatus((value || undefined) as WebhookDeliveryStatus | undefined)}
          data={[{ value: '', label: strings.all }, ...STATUSES.map((value) => ({ value, label: strings.statuses[value] }))]}
        />
      </Group>
      <Box flex={1} mih={320}>
        <DataTable
          label={strings.title}
          columns={useColumns(setOpened)}
          rows={rows}
          empty={
            <Empty
              icon={IconSend}
              title={status ? strings.emptyStatus : strings.empty}
              text={status ? undefined : strings.emptyText}
            />
          }
        />
      </Box>
      {opened && <DeliveryDetails id={opened} webhook={webhook} onClose={() => setOpened(undefined)} />}
    </>
  );
}

/** At most one call in each pause, and one after the last request. */
function useThrottled(run: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, PAUSE_MS);
  };
}

function useColumns(open: (id: string) => void): Column<Delivery>[] {
  const { deliveries, webhooks } = useStrings();
  const formats = useFormats();
  return [
    {
      key: 'event',
      title: webhooks.event,
      cell: ({ id, event }) => (
        <UnstyledButton onClick={() => open(id)} aria-haspopup="dialog">
          <Text size="sm" c="var(--mantine-color-anchor)">
            {event}
          </Text>
        </UnstyledButton>
      ),
    },
    { key: 'status', title: deliveries.status, width: 150, cell: ({ status }) => <DeliveryStatus status={status} /> },
    { key: 'created', title: deliveries.created, from: 'sm', width: 160, cell: ({ createdAt }) => formats.ago(createdAt) },
    {
      key: 'attempts',
      title: deliveries.attempts,
      from: 'md',
      width: 100,
      align: 'right',
      cell: ({ attempts }) => formats.number(attempts),
    },
    {
      key: 'result',
      title: deliveries.result,
      from: 'md',
      cell: ({ responseStatus, lastError, nextAttemptAt, attempts }) => (
        <Text size="sm" truncate title={lastError ?? undefined}>
          {[responseStatus ?? lastError, attempts > 0 && nextAttemptAt && deliveries.next(formats.ago(nextAttemptAt))]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      ),
    },
  ];
}
