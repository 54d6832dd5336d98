import { Alert, Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { PageTitle } from '../../parts/page-title.tsx';
import { Failure, Loading, NotFound, PageState } from '../../parts/states.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { State } from '../../webhooks/state.tsx';
import type { Webhook } from '../../webhooks/surface.ts';
import { useWebhooks } from '../../webhooks/use-webhooks.ts';
import { Actions } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import { ReplayProgress } from './replay-progress.tsx';
import { useSwitch } from './use-switch.ts';

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
          <Text size="sm">{webhooks.surfaces[surface]}</Text>
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
  const { webhooks } = useStrings();
  const formats = useFormats();
  const { enable, busy } = useSwitch(webhook);
  const { disabledAt } = webhook;
  return (
    <Alert
      color={disabledAt ? 'red' : 'gray'}
      icon={<IconPlugConnectedX aria-hidden />}
      title={disabledAt ? webhooks.disabledBy(formats.time(disabledAt)) : webhooks.disabled}
    >
      <Stack align="start" gap="sm">
        <Text size="sm">{disabledAt ? webhooks.disabledText : webhooks.pausedText}</Text>
        <Button size="xs" onClick={enable} loading={busy}>
          {webhooks.enable}
        </Button>
      </Stack>
    </Alert>
  );
}
