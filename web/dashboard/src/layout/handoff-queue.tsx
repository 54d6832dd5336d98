import { createContext, type ReactNode, useContext, useState } from 'react';
import type { HandoffQueueSubscription } from '../../.graph/graphql.ts';
import { graphql, useLive } from '../graph/graph-hooks.ts';

const HANDOFF_QUEUE = graphql(`
  subscription HandoffQueue {
    handoffQueue { waiting active handoffs { id conversationId status operatorId operatorName reason unseenMessages awayUntil createdAt }
      approvals { id conversationId text expiresAt request { method url } }
    }
  }
`);

type Queue = HandoffQueueSubscription['handoffQueue'];
const Context = createContext<Queue | null>(null);

/** The conversations that wait for a person, or that a person has; null until they are known. */
export const useHandoffQueue = (): Queue | null => useContext(Context);

export function HandoffQueue({ children }: { children: ReactNode }) {
  const [queue, setQueue] = useState<Queue | null>(null);
  useLive(HANDOFF_QUEUE, {}, ({ handoffQueue }) => setQueue(handoffQueue));
  return <Context value={queue}>{children}</Context>;
}
