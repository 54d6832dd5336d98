import { createClient, type SubscribePayload } from 'graphql-ws';
import type { SubscriptionForwarder, SubscriptionOperation } from 'urql';

/** 4401 ends the session; 1013 means "try again later". */
const UNAUTHENTICATED = 4401;
/** Milliseconds between two pings, and until a missing answer means that the connection is lost. */
const PING_INTERVAL = 10_000;
const PONG_TIMEOUT = 5_000;

/** The events of a socket that the page shows. */
export interface SocketEvents {
  onConnection(connected: boolean): void;
  /** The server does not accept the session, or not for this organization. */
  onRefused(): void;
}

/**
 * Create the subscriptions of one organization over one socket. After a lost connection, a subscription resumes after the last
 * `sequence` that it received. One that was refused waits for `resume`.
 */
export function createSocket(organization: string, { onConnection, onRefused }: SocketEvents) {
  const refused = new Set<() => void>();
  let timeout: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url: `${location.origin.replace('http', 'ws')}/graphql`,
    connectionParams: { 'x-organization': organization },
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    keepAlive: PING_INTERVAL,
    on: {
      connected: () => onConnection(true),
      ping(isReceived) {
        if (!isReceived) timeout = setTimeout(() => client.terminate(), PONG_TIMEOUT);
      },
      pong: (isReceived) => isReceived && clearTimeout(timeout),
      closed: (event) => {
        clearTimeout(timeout);
        const { code, wasClean } = event as CloseEvent;
        if (!wasClean || code !== 1000) onConnection(false);
        if (code === UNAUTHENTICATED) onRefused();
      },
    },
  });
  const forward: SubscriptionForwarder = ({ query = '', variables }: SubscriptionOperation) => ({
    subscribe: (sink) => {
      // The client sends the payload again when it reconnects, so changing the variables resumes the subscription.
      const payload: SubscribePayload = { query, variables: { ...(variables as object) } };
      let stop = () => {};
      const start = () => {
        refused.delete(start);
        stop = client.subscribe(payload, {
          next: (result) => {
            const [update] = Object.values(result.data ?? {}) as ({ sequence?: number } | null)[];
            if (typeof update?.sequence === 'number') payload.variables!.after = update.sequence;
            sink.next(result as Parameters<typeof sink.next>[0]);
          },
          error: (error) => (isRefusal(error) ? void refused.add(start) : sink.error(error)),
          complete: () => sink.complete(),
        });
      };
      start();
      return {
        unsubscribe() {
          refused.delete(start);
          stop();
        },
      };
    },
  });
  const resume = () => {
    for (const start of [...refused]) start();
  };
  return { forward, resume, close: () => void client.dispose() };
}

const isRefusal = (error: unknown) => (error as CloseEvent | undefined)?.code === UNAUTHENTICATED;
