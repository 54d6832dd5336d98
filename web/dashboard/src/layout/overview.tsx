import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { HandoffQueueSubscription, OrganizationChangesSubscription } from '../../.graph/graphql.ts';
import { graphql, useLive } from '../graph/graph-hooks.ts';

/** Every change of the jobs, credits and reviews of the organization. All pages share one subscription. */
const ORGANIZATION_CHANGES = graphql(`
  subscription OrganizationChanges($after: Int) {
    jobsChanged(after: $after) {
      sequence isSnapshot credits reviewCount
      jobs { id kind status paused totalCount processedCount successCount failedCount cost startedAt completedAt errorSummary }
    }
  }
`);

type Update = OrganizationChangesSubscription['jobsChanged'];
const Context = createContext<Update | null>(null);

/** The latest credits and number of values to review; null until the first update. */
export const useOverview = (): Update | null => useContext(Context);

export function Overview({ children }: { children: ReactNode }) {
  const [update, setUpdate] = useState<Update | null>(null);
  useLive(ORGANIZATION_CHANGES, {}, ({ jobsChanged }) => setUpdate(jobsChanged));
  return <Context value={update}>{children}</Context>;
}

/** Milliseconds in which several changes cause one call. */
const PAUSE = 500;

/** Call back after a job was created, paused or changed its status. Progress of known jobs reaches the queries through the cache. */
export function useJobsChanged(onChange: () => void): void {
  const states = useRef(new Map<string, string>());
  const call = useEffectEvent(onChange);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  useLive(ORGANIZATION_CHANGES, {}, ({ jobsChanged: { jobs, isSnapshot } }) => {
    const isFirst = isSnapshot && states.current.size === 0;
    const changed = jobs.filter(({ id, status, paused }) => states.current.get(id) !== `${status} ${paused}`);
    for (const { id, status, paused } of changed) states.current.set(id, `${status} ${paused}`);
    // The caller has just read the jobs of the first snapshot.
    if (changed.length === 0 || isFirst) return;
    // A steady stream of changes must not put the call off.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      call();
    }, PAUSE);
  });
}

const HANDOFF_QUEUE = graphql(`
  subscription HandoffQueue {
    handoffQueue { waiting active handoffs { id conversationId status operatorId operatorName reason unseenMessages awayUntil createdAt }
      approvals { id conversationId text expiresAt request { method url } }
    }
  }
`);

type Queue = HandoffQueueSubscription['handoffQueue'];
const QueueContext = createContext<Queue | null>(null);

/** The conversations that wait for a person, or that a person has; null until they are known. */
export const useHandoffQueue = (): Queue | null => useContext(QueueContext);

export function HandoffQueue({ children }: { children: ReactNode }) {
  const [queue, setQueue] = useState<Queue | null>(null);
  useLive(HANDOFF_QUEUE, {}, ({ handoffQueue }) => setQueue(handoffQueue));
  return <QueueContext value={queue}>{children}</QueueContext>;
}
