import { useEffect, useEffectEvent } from 'react';
import { type TypedDocumentNode, useClient } from 'urql';

/**
 * Follow a subscription while the component is mounted. The socket resumes it after a lost connection, or after an error of the server,
 * without lost or repeated updates.
 * Objects with an `id` in an update also change every query that shows them.
 * @param variables null pauses the subscription
 */
export function useLive<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables | null,
  onUpdate: (data: Data) => void = () => {},
): void {
  const client = useClient();
  const receive = useEffectEvent(onUpdate);
  const key = JSON.stringify(variables);
  useEffect(() => {
    const parsed = JSON.parse(key) as Variables | null;
    if (!parsed) return;
    const updates = client.subscription(document, parsed, { live: true });
    return updates.subscribe(({ data }) => data && receive(data)).unsubscribe;
  }, [client, document, key]);
}

/** Repeat an action while the page is visible, and when it becomes visible again. For lists that have no subscription. */
export function useEvery(seconds: number, action: () => void): void {
  const run = useEffectEvent(() => {
    if (document.visibilityState === 'visible') action();
  });
  useEffect(() => {
    const timer = setInterval(run, seconds * 1_000);
    document.addEventListener('visibilitychange', run);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [seconds]);
}
