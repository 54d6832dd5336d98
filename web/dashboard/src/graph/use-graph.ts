import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { Client, CombinedError } from 'urql';
import { showProblem } from '../parts/overlays.tsx';
import { useSentence } from '../parts/page-frame.tsx';
import { createGraph } from './graph-client.ts';
import type { Connection } from './graph-socket.ts';

let connection: Connection = 'open';
const listeners = new Set<() => void>();
const setConnection = (value: Connection) => {
  connection = value;
  for (const notify of listeners) notify();
};
const listen = (notify: () => void) => {
  listeners.add(notify);
  return () => void listeners.delete(notify);
};

/** Whether live updates arrive. */
export const useConnection = (): Connection => useSyncExternalStore(listen, () => connection);

const graphs = new Set<{ resume(): void }>();
/** Send again what the server refused, after the user has signed in again. */
export function resumeGraphs(): void {
  for (const graph of graphs) graph.resume();
}

const watchers = new Set<() => void>();
/** Call back when the server refuses a request or a socket as not signed in, until the result is called. */
export function onRefused(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

/** Tell the watchers that the server does not accept the session. Requests of the graph do so by themselves. */
export function reportRefused(): void {
  for (const watch of watchers) watch();
}

/** The client of one organization. Another organization gets another client, so caches are never shared. */
export function useGraph(organization: string): Client | undefined {
  const [client, setClient] = useState<Client>();
  const sentence = useSentence();
  const report = useEffectEvent((error: CombinedError) => showProblem(sentence(error)));
  useEffect(() => {
    const graph = createGraph(organization, {
      onConnection: setConnection,
      onProblem: (error) => report(error),
      onRefused: reportRefused,
    });
    graphs.add(graph);
    setClient(graph.client);
    return () => {
      graphs.delete(graph);
      graph.close();
      setConnection('open');
      setClient(undefined);
    };
  }, [organization]);
  return client;
}
