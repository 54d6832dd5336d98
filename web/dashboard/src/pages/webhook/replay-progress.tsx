import { Button, CloseButton, Group, Paper, Progress, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { useMutation } from 'urql';
import { useQuery } from '../../graph/use-query.ts';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import type { Webhook } from '../../webhooks/surface.ts';
import { surfaces } from '../../webhooks/surfaces.ts';

const PAUSE_MS = 2_000;

/** The progress of the replay in `?replay=`. */
export function ReplayProgress({ webhook: { surface } }: { webhook: Webhook }) {
  const { deliveries, actions } = useStrings();
  const formats = useFormats();
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
        <Text size="sm" role="status">
          {deliveries.progress(formats.number(scheduled), formats.number(total))} · {deliveries.replayStates[status]}
        </Text>
        {isRunning ? (
          <Button size="compact-sm" variant="default" onClick={() => stop({ id })} loading={fetching}>
            {deliveries.stop}
          </Button>
        ) : (
          <CloseButton aria-label={actions.close} onClick={() => setParameters({}, { replace: true })} />
        )}
      </Group>
      <Progress value={total > 0 ? (scheduled / total) * 100 : 100} aria-label={deliveries.replayMany} />
    </Paper>
  );
}
