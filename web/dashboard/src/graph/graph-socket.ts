import type { SubscribePayload } from 'graphql-ws';
import type { Operation, SubscriptionForwarder, SubscriptionOperation } from 'urql';
import { backOff, isExcludedCode, isSignedOutCode, isTemporaryCode, openSocket } from '../../../shared/socket.ts';

/** Close codes of a server that does not accept the session, or not for this organization. */
const REFUSALS = [4401, 4403];
/** Milliseconds without a failure after which the next one is a first one. Longer than the longest wait between two attempts. */
const STABLE_TIME = 60_000;

/** A `lost` connection is restored by itself, a `refused` one waits for `resume`. */
export type Connection = 'open' | 'lost' | 'refused';

export interface SocketEvents {
  onConnection(connection: Connection): void;
  /** The server does not accept the session, or not for this organization. */
  onRefused(): void;
}

/**
 * Create the subscriptions of one organization over one socket. A subscription resumes after the last `sequence` that it received when
 * its connection is lost and, with `{ live: true }` in its context, when the server ends it with a temporary error. One that was refused
 * waits for `resume`, and one without permission ends.
 */
export function createSocket(organization: string, { onConnection, onRefused }: SocketEvents) {
  const waiting = new Set<() => void>();
  const refused = new Set<() => void>();
  let isLost = false;
  let isClosed = false;
  let failures = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  function report() {
    if (!isClosed) onConnection(refused.size > 0 ? 'refused' : isLost || waiting.size > 0 ? 'lost' : 'open');
  }

  const client = openSocket({
    url: `${location.origin.replace('http', 'ws')}/graphql`,
    connectionParams: { 'x-organization': organization },
  });
  client.on('connected', () => {
    isLost = false;
    report();
  });
  client.on('closed', (event) => {
    const { code, wasClean } = event as CloseEvent;
    isLost = !wasClean || code !== 1000;
    report();
  });

  function startAll(starts: Set<() => void>) {
    const all = [...starts];
    starts.clear();
    for (const start of all) start();
    report();
  }
  /** All subscriptions wait for the same attempt. */
  function retry(start: () => void) {
    waiting.add(start);
    if (waiting.size > 1) return;
    failures = performance.now() - failedAt > STABLE_TIME ? 0 : failures + 1;
    failedAt = performance.now();
    void backOff(failures).then(() => startAll(waiting));
  }

  const forward: SubscriptionForwarder = ({ query = '', variables }: SubscriptionOperation, { context }: Operation) => ({
    subscribe: (sink) => {
      // Each attempt sends the payload again, so changing the variables resumes the subscription.
      const payload: SubscribePayload = { query, variables: { ...(variables as object) } };
      let stop = () => {};
      const start = () => {
        let hasFailed = false;
        const fail = (error: unknown) => {
          if (hasFailed) return;
          hasFailed = true;
          stop();
          const code = codeOf(error);
          if (typeof code === 'string' && (!context.live || isExcludedCode(code))) return sink.error(error);
          if (isTemporary(code)) retry(start);
          else refused.add(start);
          if (isRefusal(code)) onRefused();
          report();
        };
        stop = client.subscribe(payload, {
          next: (result) => {
            if (context.live && !result.data && result.errors) return fail(result.errors);
            const [update] = Object.values(result.data ?? {}) as ({ sequence?: number } | null)[];
            if (typeof update?.sequence === 'number') payload.variables!.after = update.sequence;
            sink.next(result as Parameters<typeof sink.next>[0]);
          },
          error: fail,
          complete: () => hasFailed || sink.complete(),
        });
      };
      start();
      return {
        unsubscribe() {
          waiting.delete(start);
          refused.delete(start);
          stop();
          report();
        },
      };
    },
  });
  function close() {
    isClosed = true;
    void client.dispose();
  }
  return { forward, resume: () => startAll(refused), close };
}

/** The code of a GraphQL error, or the close code of a socket. */
const codeOf = (error: unknown): string | number | undefined =>
  Array.isArray(error) ? String(error[0]?.extensions?.code ?? 'INTERNAL_SERVER_ERROR') : (error as CloseEvent | undefined)?.code;

const isTemporary = (code: string | number | undefined) =>
  typeof code === 'string' ? isTemporaryCode(code) : !REFUSALS.includes(code!);

const isRefusal = (code: string | number | undefined) =>
  typeof code === 'string' ? isSignedOutCode(code) : REFUSALS.includes(code!);
