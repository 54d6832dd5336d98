import { Progress as Bar, Group, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { useClient } from 'urql';
import type { SourceProgressSubscription, SourcesQuery } from '../../../.graph/graphql.ts';
import { graphql, useLive } from '../../graph/graph-hooks.ts';
import { Note, Tag } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';

export const SOURCES = graphql(`
  query Sources($agentId: ID!) {
    sources(agentId: $agentId) {
      id type name url status error pageCount failedPageCount pageTotal chunkCount suspiciousCount refreshInterval lastIndexedAt
      file { name bytes }
    }
  }
`);

const SOURCE_PROGRESS = graphql(`
  subscription SourceProgress($id: ID!, $after: Int! = 0) {
    sourceProgress(id: $id, after: $after) {
      sourceId sequence status error pageCount failedPageCount pageTotal stagedCount embeddedCount chunkCount
    }
  }
`);

/** Reads the list of sources again. */
export function useSourcesAgain(agentId: string): () => void {
  const client = useClient();
  return () => void client.query(SOURCES, { agentId }, { requestPolicy: 'network-only' }).toPromise();
}

export type Source = SourcesQuery['sources'][number];

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
  const { agents, terms, formats } = useStrings();
  const progress = useProgress(source, agentId);
  const status = progress?.status ?? source.status;
  const [done, total] = progress ? stepsOf(progress) : [0, 0];
  return (
    <Group gap="xs" wrap="nowrap">
      <State status={status} error={progress?.error} />
      {total > 0 && status !== 'ready' && (
        <>
          <Bar value={(done / total) * 100} w={80} aria-label={terms.progress} animated />
          <Note size="xs">{agents.of(formats.number(done), formats.number(total))}</Note>
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
  const badge = <Tag label={agents.sourceStates[status]} color={colors[status]} miw="fit-content" />;
  if (!error) return badge;
  return (
    <Tooltip label={error} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      {badge}
    </Tooltip>
  );
}

type Progress = SourceProgressSubscription['sourceProgress'];

const isRunning = ({ status }: Pick<Source, 'status'>): boolean => status !== 'ready' && status !== 'failed';

/** Follow the ingestion of a source. The end of it reads the list of sources again. */
function useProgress(source: Source, agentId: string): Progress | undefined {
  const readAgain = useSourcesAgain(agentId);
  const [progress, setProgress] = useState<Progress>();
  useLive(SOURCE_PROGRESS, { id: source.id }, ({ sourceProgress }) => {
    setProgress(sourceProgress);
    if (!isRunning(sourceProgress)) readAgain();
  });
  return progress;
}

/** The files that can be sources. */
export const DOCUMENTS = {
  'application/pdf': ['.pdf'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['.docx'],
  'text/markdown': ['.md', '.markdown'],
  'text/plain': ['.txt', '.text'],
  'text/html': ['.html', '.htm'],
};
