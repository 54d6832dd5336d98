import { Alert, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useEffectEvent } from 'react';
import { useEvery } from '../../../graph/every.ts';
import { useQuery } from '../../../graph/use-query.ts';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { ERASURE } from './documents.ts';

/** Seconds between reads. */
const INTERVAL = 2;

/** The progress of the erasure of a contact. */
export function Erasure({ id, onDone }: { id: string; onDone(): void }) {
  const { inbox } = useStrings();
  const formats = useFormats();
  const [{ data }, read] = useQuery({ query: ERASURE, variables: { id } });
  useEvery(INTERVAL, () => read({ requestPolicy: 'network-only' }));
  const erasure = data?.contactErasure;
  const isDone = Boolean(erasure?.completedAt);
  const end = useEffectEvent(onDone);
  useEffect(() => {
    if (isDone) end();
  }, [isDone]);
  const counts = (['conversations', 'messages', 'tickets', 'leads', 'submissions'] as const)
    .filter((kind) => erasure?.[kind])
    .map((kind) => `${inbox.erasedKinds[kind]}: ${formats.number(erasure![kind])}`);
  return (
    <Alert color="red" variant="light" role="status" icon={<Loader size={18} color="red" />} title={inbox.erasing}>
      <Stack gap={4}>
        <Text size="sm">{inbox.erasingText}</Text>
        {counts.length > 0 && <Text size="sm">{counts.join(' · ')}</Text>}
      </Stack>
    </Alert>
  );
}
