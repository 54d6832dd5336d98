import { useEffect, useState } from 'react';
import type { TypedDocumentNode } from 'urql';
import type { JobSummaryFragment } from '../../.graph/graphql.ts';
import { useLive } from '../graph/live.ts';
import { isOpen } from './job-state.tsx';

type Status = Pick<JobSummaryFragment, 'status'>;

/**
 * Follow an open job until its subscription reports the end. The subscription of the shell may report it earlier, but without the items and
 * the other fields of the page.
 */
export function useProgress<Data extends { jobProgress: { job: Status } }>(
  document: TypedDocumentNode<Data, { id: string; after: number }>,
  job: Status & { id: string; sequence: number },
): void {
  const [after] = useState(job.sequence);
  const open = isOpen(job);
  const [isFollowed, setFollowed] = useState(open);
  // A retry opens a job again.
  useEffect(() => {
    if (open) setFollowed(true);
  }, [open]);
  useLive(document, isFollowed ? { id: job.id, after } : null, ({ jobProgress }) => {
    if (!isOpen(jobProgress.job)) setFollowed(false);
  });
}
