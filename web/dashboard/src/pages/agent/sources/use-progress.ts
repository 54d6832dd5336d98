import { useState } from 'react';
import { useClient } from 'urql';
import type { SourceProgressSubscription } from '../../../../.graph/graphql.ts';
import { useLive } from '../../../graph/live.ts';
import { SOURCE_PROGRESS, SOURCES, type Source } from './documents.ts';

export type Progress = SourceProgressSubscription['sourceProgress'];

export const isRunning = ({ status }: Pick<Source, 'status'>): boolean => status !== 'ready' && status !== 'failed';

/** Follow the ingestion of a source. The end of it reads the list of sources again. */
export function useProgress(source: Source, agentId: string): Progress | undefined {
  const client = useClient();
  const [progress, setProgress] = useState<Progress>();
  useLive(SOURCE_PROGRESS, { id: source.id }, ({ sourceProgress }) => {
    setProgress(sourceProgress);
    if (!isRunning(sourceProgress)) void client.query(SOURCES, { agentId }, { requestPolicy: 'network-only' }).toPromise();
  });
  return progress;
}
