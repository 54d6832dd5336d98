import { useState } from 'react';
import type { TypedDocumentNode } from 'urql';
import type { JobSummaryFragment } from '../../.graph/graphql.ts';
import { useLive } from '../graph/live.ts';
import { isOpen } from './job-state.tsx';

/**
 * Follow a job that is open when the page shows it, until the server ends the subscription. The shell may learn of the end earlier, but
 * without the items, and items that run when a job is stopped end later than the job.
 */
export function useProgress<Data extends object>(
  document: TypedDocumentNode<Data, { id: string; after: number }>,
  job: Pick<JobSummaryFragment, 'id' | 'status'> & { sequence: number },
): void {
  const [variables] = useState(isOpen(job) ? { id: job.id, after: job.sequence } : null);
  useLive(document, variables);
}
