import { Group, Text } from '@mantine/core';
import type { TestOutcome } from '../../../.graph/graphql.ts';
import type { RunRow } from '../../agents/test-documents.ts';
import { Tag } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';

const statusColors = { pending: 'gray', processing: 'blue', completed: 'teal', failed: 'red', stopped: 'gray' } as const;
const outcomeColors = { always: 'teal', sometimes: 'yellow', never: 'red' } as const;

/** Whether the run may still change. */
export const isRunning = ({ status }: Pick<RunRow, 'status'>): boolean => status === 'pending' || status === 'processing';

/** The status of a run; of a completed one, how much passed and how many cases got worse. */
export function RunState({ run: { status, share, regressions } }: { run: Pick<RunRow, 'status' | 'share' | 'regressions'> }) {
  const { tests, formats } = useStrings();
  if (status !== 'completed' || typeof share !== 'number')
    return <Tag label={tests.statuses[status]} color={statusColors[status]} />;
  return (
    <Group gap={6}>
      <Tag label={tests.share(formats.precisePercent(share))} color={share === 1 ? 'teal' : 'orange'} />
      {!!regressions && <Tag label={tests.regressions(regressions, formats.number(regressions))} color="red" />}
    </Group>
  );
}

/** The outcome of a case: passed always, sometimes or never. */
export function Outcome({ outcome }: { outcome?: TestOutcome | null }) {
  const { tests } = useStrings();
  return outcome ? <Tag label={tests.outcomes[outcome]} color={outcomeColors[outcome]} /> : <Text>–</Text>;
}
