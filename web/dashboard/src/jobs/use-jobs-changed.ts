import { useEffect, useEffectEvent, useRef } from 'react';
import { useLive } from '../graph/live.ts';
import { ORGANIZATION_CHANGES } from '../layout/overview.tsx';

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
