import { Badge, Progress as Bar, Group, Text, Tooltip } from '@mantine/core';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import type { Source } from './documents.ts';
import { isRunning, type Progress, useProgress } from './use-progress.ts';

const colors = {
  queued: 'gray',
  crawling: 'indigo',
  chunking: 'indigo',
  embedding: 'indigo',
  ready: 'teal',
  failed: 'red',
} as const;

/** The state of a source, live while it is ingested. */
export const Status = ({ source, agentId }: { source: Source; agentId: string }) =>
  isRunning(source) ? <LiveStatus source={source} agentId={agentId} /> : <State status={source.status} error={source.error} />;

function LiveStatus({ source, agentId }: { source: Source; agentId: string }) {
  const { agents } = useStrings();
  const formats = useFormats();
  const progress = useProgress(source, agentId);
  const status = progress?.status ?? source.status;
  const [done, total] = progress ? stepsOf(progress) : [0, 0];
  return (
    <Group gap="xs" wrap="nowrap">
      <State status={status} error={progress?.error} />
      {total > 0 && status !== 'ready' && (
        <>
          <Bar value={(done / total) * 100} w={80} aria-label={agents.progress} animated />
          <Text size="xs" c="dimmed">
            {agents.of(formats.number(done), formats.number(total))}
          </Text>
        </>
      )}
    </Group>
  );
}

/** Finished and total units of the running step. */
const stepsOf = (progress: Progress): [number, number] =>
  progress.status === 'crawling'
    ? [progress.pageCount + progress.failedPageCount, progress.pageTotal]
    : [progress.embeddedCount, progress.stagedCount];

function State({ status, error }: { status: Source['status']; error?: string | null }) {
  const { agents } = useStrings();
  const badge = (
    <Badge variant="light" color={colors[status]} miw="fit-content">
      {agents.sourceStates[status]}
    </Badge>
  );
  if (!error) return badge;
  return (
    <Tooltip label={error} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      {badge}
    </Tooltip>
  );
}
