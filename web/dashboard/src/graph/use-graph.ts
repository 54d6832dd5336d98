import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Client } from 'urql';
import { showProblem } from '../parts/toast.ts';
import { createGraph } from './client.ts';

let connected = true;
const listeners = new Set<() => void>();
const setConnected = (value: boolean) => {
  connected = value;
  for (const notify of listeners) notify();
};
const listen = (notify: () => void) => {
  listeners.add(notify);
  return () => void listeners.delete(notify);
};

/** False while live updates are interrupted. */
export const useConnected = (): boolean => useSyncExternalStore(listen, () => connected);

/** The client of one organization. Another organization gets another client, so caches are never shared. */
export function useGraph(organization: string): Client | undefined {
  const [client, setClient] = useState<Client>();
  useEffect(() => {
    const graph = createGraph(organization, {
      onConnection: setConnected,
      onProblem: showProblem,
      onSignedOut: () => location.assign(`/sign-in?ended&to=${encodeURIComponent(location.pathname + location.search)}`),
    });
    setClient(graph.client);
    return () => {
      graph.close();
      setConnected(true);
      setClient(undefined);
    };
  }, [organization]);
  return client;
}
