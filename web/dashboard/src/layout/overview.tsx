import { createContext, type ReactNode, useContext, useState } from 'react';
import type { OrganizationChangesSubscription } from '../../.graph/graphql.ts';
import { graphql } from '../graph/graphql.ts';
import { useLive } from '../graph/live.ts';

/** Every change of the jobs, credits and reviews of the organization. All pages share one subscription. */
export const ORGANIZATION_CHANGES = graphql(`
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
