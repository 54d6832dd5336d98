import { Button, Code, CopyButton, Group, ScrollArea, Stack, Text, Timeline, Title } from '@mantine/core';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import { useQuery } from '../../graph/use-query.ts';
import { Drawer } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/states.tsx';
import { showDone } from '../../parts/toast.ts';
import { useAddress } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import type { Webhook } from '../../webhooks/surface.ts';
import { surfaces } from '../../webhooks/surfaces.ts';
import { DeliveryStatus } from './delivery-status.tsx';

/** One delivery: its attempts, its body, and what can be done with it. */
export function DeliveryDetails({ id, webhook, onClose }: { id: string; webhook: Webhook; onClose(): void }) {
  const { deliveries } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const { surface, enabled, isSigned } = webhook;
  const query = useQuery({ query: surfaces[surface].delivery, variables: { id } });
  const [{ fetching }, replay] = useMutation(surfaces[surface].replay);

  async function sendAgain() {
    const { data } = await replay({ id, webhookId: webhook.id });
    if (data) showDone(deliveries.replayDone);
  }
  return (
    <Drawer onClose={onClose} position="right" size="lg" title={query[0].data?.delivery.event ?? deliveries.title}>
      <Loaded query={query}>
        {({ delivery: { status, createdAt, nextAttemptAt, body, log } }) => (
          <Stack>
            <Group gap="xs">
              <DeliveryStatus status={status} />
              <Text size="sm">{formats.time(createdAt)}</Text>
              {nextAttemptAt && <Text size="sm">{deliveries.next(formats.ago(nextAttemptAt))}</Text>}
            </Group>
            <Group gap="xs">
              <Button size="xs" onClick={sendAgain} loading={fetching} disabled={!enabled || nextAttemptAt != null}>
                {deliveries.replay}
              </Button>
              {isSigned && body != null && (
                <Button
                  size="xs"
                  variant="default"
                  component={Link}
                  to={address(`webhooks/signature?surface=${surface}`)}
                  state={{ body }}
                >
                  {deliveries.checkSignature}
                </Button>
              )}
              {body != null && (
                <CopyButton value={body}>
                  {({ copied, copy }) => (
                    <Button size="xs" variant="default" onClick={copy}>
                      {copied ? deliveries.copied : deliveries.copy}
                    </Button>
                  )}
                </CopyButton>
              )}
            </Group>
            <Title order={3} size="h5">
              {deliveries.attempts}
            </Title>
            {log.length === 0 && <Text size="sm">{deliveries.noAttempts}</Text>}
            <Timeline active={log.length} bulletSize={14} lineWidth={2}>
              {log.map(({ id: attempt, number, at, durationMs, responseStatus, responseSnippet, error }) => (
                <Timeline.Item
                  key={attempt}
                  color={responseStatus && responseStatus < 300 ? 'teal' : 'red'}
                  title={<Text size="sm">{deliveries.attempt(number, formats.time(at))}</Text>}
                >
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {[responseStatus ?? error, deliveries.took(formats.number(durationMs))].filter(Boolean).join(' · ')}
                  </Text>
                  {responseSnippet && (
                    <Code block mah={120} style={{ overflow: 'auto' }} tabIndex={0} aria-label={deliveries.response}>
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
              <Text size="sm">{deliveries.bodyHidden}</Text>
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
