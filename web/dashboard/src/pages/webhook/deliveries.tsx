import { Code, CopyButton, Group, ScrollArea, Stack, Text, Timeline, Title, UnstyledButton } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { WebhookDeliveryStatus } from '../../../.graph/graphql.ts';
import { useButton, useLive, useQuery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, LinkAction, SmallAction, Tag } from '../../parts/elements.tsx';
import { Drawer, Segments } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type Delivery, surfaces, type Webhook } from '../../webhooks/webhook-surfaces.ts';

/** Milliseconds in which several new deliveries cause one read of the list. */
const PAUSE_MS = 1_000;

/** The deliveries of a webhook, newest first, updated with every attempt. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { deliveries: strings, terms } = useStrings();
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
        <Segments
          size="xs"
          aria-label={terms.status}
          value={status ?? ''}
          onChange={(value) => setStatus(value || undefined)}
          labels={{ '': terms.all, ...strings.statuses }}
        />
      </Group>
      <DataTable
        minHeight={320}
        label={strings.title}
        columns={useColumns(setOpened)}
        rows={rows}
        empty={{
          icon: IconSend,
          title: status ? strings.emptyStatus : strings.empty,
          text: status ? undefined : strings.emptyText,
        }}
      />
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
  const { deliveries, webhooks, terms, formats } = useStrings();
  return [
    {
      key: 'event',
      title: webhooks.event,
      cell: ({ id, event }) => (
        <UnstyledButton onClick={() => open(id)} aria-haspopup="dialog">
          <Text c="var(--mantine-color-anchor)">{event}</Text>
        </UnstyledButton>
      ),
    },
    { key: 'status', title: terms.status, width: 150, cell: ({ status }) => <DeliveryStatus status={status} /> },
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
        <Text truncate title={lastError ?? undefined}>
          {[responseStatus ?? lastError, attempts > 0 && nextAttemptAt && deliveries.next(formats.ago(nextAttemptAt))]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      ),
    },
  ];
}

const COLORS = { pending: 'blue', delivered: 'teal', failed: 'red', missed: 'orange' } as const;

function DeliveryStatus({ status }: { status: WebhookDeliveryStatus }) {
  const { deliveries } = useStrings();
  return <Tag label={deliveries.statuses[status]} color={COLORS[status]} />;
}

/** One delivery: its attempts, its body, and what can be done with it. */
function DeliveryDetails({ id, webhook, onClose }: { id: string; webhook: Webhook; onClose(): void }) {
  const { deliveries, actions, terms, formats } = useStrings();
  const { surface, enabled, isSigned } = webhook;
  const query = useQuery({ query: surfaces[surface].delivery, variables: { id } });
  const replay = useButton(surfaces[surface].replay, { done: deliveries.replayDone });
  return (
    <Drawer onClose={onClose} size="lg" title={query[0].data?.delivery.event ?? deliveries.title}>
      <Loaded query={query}>
        {({ delivery: { status, createdAt, nextAttemptAt, body, log } }) => (
          <Stack>
            <Group gap="xs">
              <DeliveryStatus status={status} />
              <Text>{formats.time(createdAt)}</Text>
              {nextAttemptAt && <Text>{deliveries.next(formats.ago(nextAttemptAt))}</Text>}
            </Group>
            <Group gap="xs">
              <Action
                label={deliveries.replay}
                size="xs"
                disabled={!enabled || nextAttemptAt != null}
                {...replay({ id, webhookId: webhook.id })}
              />
              {isSigned && body != null && (
                <LinkAction
                  label={deliveries.checkSignature}
                  size="xs"
                  variant="default"
                  to={`webhooks/signature?surface=${surface}`}
                  state={{ body }}
                />
              )}
              {body != null && (
                <CopyButton value={body}>
                  {({ copied, copy }) => <SmallAction label={copied ? actions.copied : actions.copy} onClick={copy} />}
                </CopyButton>
              )}
            </Group>
            <Title order={3} size="h5">
              {deliveries.attempts}
            </Title>
            {log.length === 0 && <Text>{deliveries.noAttempts}</Text>}
            <Timeline active={log.length} bulletSize={14} lineWidth={2}>
              {log.map(({ id: attempt, number, at, durationMs, responseStatus, responseSnippet, error }) => (
                <Timeline.Item
                  key={attempt}
                  color={responseStatus && responseStatus < 300 ? 'teal' : 'red'}
                  title={<Text>{deliveries.attempt(number, formats.time(at))}</Text>}
                >
                  <Text style={{ overflowWrap: 'anywhere' }}>
                    {[responseStatus ?? error, deliveries.took(formats.number(durationMs))].filter(Boolean).join(' · ')}
                  </Text>
                  {responseSnippet && (
                    <Code block mah={120} style={{ overflow: 'auto' }} tabIndex={0} aria-label={terms.response}>
                      {responseSnippet}
                    </Code>
                  )}
                </Timeline.Item>
              ))}
            </Timeline>
            <Title order={3} size="h5">
              {deliveries.body}
            </Title>
            {body == null ? (
              <Text>{deliveries.bodyHidden}</Text>
            ) : (
              <ScrollArea.Autosize mah={400} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': deliveries.body }}>
                <Code block>{readable(body)}</Code>
              </ScrollArea.Autosize>
            )}
          </Stack>
        )}
      </Loaded>
    </Drawer>
  );
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
