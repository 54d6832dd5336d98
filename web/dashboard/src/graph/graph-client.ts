import { cacheExchange, type KeyingConfig } from '@urql/exchange-graphcache';
import {
  Client,
  type CombinedError,
  type Exchange,
  fetchExchange,
  makeOperation,
  mapExchange,
  type Operation,
  subscriptionExchange,
} from 'urql';
import { filter, map, pipe, tap } from 'wonka';
import { isExcludedCode, isForbiddenCode, isSignedOutCode } from '../../../shared/socket.ts';
import { createSocket, type SocketEvents } from './graph-socket.ts';

interface GraphEvents extends SocketEvents {
  onProblem(error: CombinedError): void;
}

/** Objects are cached by `id`. An object without one belongs to the object that contains it. */
const keys = new Proxy({} as KeyingConfig, { get: () => (data: { id?: string | null }) => data.id ?? null });

/**
 * Create the graph client of one organization, or of a user without one if it is empty. A mutation refetches all active queries, so pages
 * need no code that updates the cache; one with `{ keep: true }` in its context does not. The caller of one with `{ quiet: true }` shows
 * its error.
 */
export function createGraph(organization: string, events: GraphEvents) {
  const socket = createSocket(organization, events);
  const queries = new Map<number, Operation>();
  const client = new Client({
    url: '/graphql',
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetchOptions: { headers: organization ? { 'x-organization': organization } : {} },
    exchanges: [
      mapExchange({
        onOperation(operation) {
          if (operation.kind === 'query') queries.set(operation.key, operation);
          else if (operation.kind === 'teardown') queries.delete(operation.key);
        },
        onResult({ operation, error }) {
          if (operation.kind !== 'mutation' || error || operation.context.keep) return;
          for (const query of queries.values()) refetch(query);
        },
        onError(error, { kind, context }) {
          if (isSignedOut(error)) events.onRefused();
          else if (kind === 'mutation' && !context.quiet) events.onProblem(error);
        },
      }),
      partsExchange,
      cacheExchange({ keys }),
      wholeExchange,
      newestExchange,
      idempotencyExchange,
      fetchExchange,
      subscriptionExchange({ forwardSubscription: socket.forward }),
    ],
  });
  const refetch = (query: Operation) =>
    client.reexecuteOperation(client.createRequestOperation('query', query, { ...query.context, requestPolicy: 'network-only' }));
  /** Send again what the server refused before the user signed in again. */
  function resume() {
    socket.resume();
    for (const query of queries.values()) refetch(query);
  }
  return { client, resume, close: socket.close };
}

/** The server's sentence, without the prefixes of the client library. */
export const messageOf = ({ graphQLErrors, networkError, message }: CombinedError): string =>
  graphQLErrors.map((each) => each.message).join(' ') || networkError?.message || message;

/** The error code of the server, or `UNAVAILABLE` when it cannot be reached. */
export const codeOf = ({ graphQLErrors: [first] }: CombinedError): string => String(first?.extensions.code ?? 'UNAVAILABLE');

export const isForbidden = (error: CombinedError): boolean => isForbiddenCode(codeOf(error));
export const isExcluded = (error: CombinedError): boolean => isExcludedCode(codeOf(error));

/** Seconds that a busy server asks to wait when it sends no `Retry-After`. */
const DEFAULT_WAIT = 5;

/** Seconds until a busy server expects the next request; undefined if the error has another cause. */
export function waitOf({ response }: CombinedError): number | undefined {
  if (response?.status !== 429 && response?.status !== 503) return undefined;
  const given = (response as Response).headers.get('retry-after') ?? '';
  // The header contains seconds or a date.
  const seconds = /^\d+$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1_000;
  return Math.max(1, Math.ceil(seconds || DEFAULT_WAIT));
}

const isSignedOut = (error: CombinedError) => error.response?.status === 401 || isSignedOutCode(codeOf(error));

/**
 * Answers a query without data if one of its root fields failed. The types of the pages have no such null, and the cache would forget a record
 * whenever the server cannot read it.
 */
const wholeExchange: Exchange = mapExchange({
  onResult(result) {
    const { data, error, operation } = result;
    const isPartial = error?.graphQLErrors.some(({ path: [root] = [] }) => root !== undefined && data?.[root] === null);
    return operation.kind === 'query' && isPartial ? { ...result, data: null } : undefined;
  },
});

/** Marks a cached result that lacks a deferred part as old. Otherwise, urql waits for the part without a request. */
const partsExchange: Exchange = mapExchange({
  onResult(result) {
    const isCached = ['hit', 'partial'].includes(result.operation.context.meta?.cacheOutcome ?? '');
    return isCached && result.hasNext ? { ...result, stale: true } : undefined;
  },
});

/** Drops an answer whose query was sent again meanwhile. Otherwise, an old answer that arrives last would replace a newer one. */
const newestExchange: Exchange = ({ forward }) => {
  const newest = new Map<number, number>();
  let count = 0;
  return (operations) =>
    pipe(
      operations,
      map((operation) => {
        const { kind, key, context } = operation;
        if (kind === 'teardown') newest.delete(key);
        if (kind !== 'query') return operation;
        count += 1;
        newest.set(key, count);
        return makeOperation(kind, operation, { ...context, order: count });
      }),
      forward,
      filter(({ operation: { kind, key, context } }) => kind !== 'query' || context.order === newest.get(key)),
    );
};

/**
 * Sends each mutation with an `Idempotency-Key`. A mutation that is repeated after a failure has the same key, because the server may have
 * run it although its answer was lost. A mutation with `{ showsSecret: true }` in its context has none: the answer to a repeated key leaves
 * the secret out.
 */
const idempotencyExchange: Exchange = ({ forward }) => {
  const failed = new Map<number, string>();
  return (operations) =>
    pipe(
      operations,
      map((operation) => {
        const { kind, key, context } = operation;
        if (kind !== 'mutation' || context.showsSecret) return operation;
        const idempotencyKey = failed.get(key) ?? crypto.randomUUID();
        const options = context.fetchOptions as RequestInit;
        const fetchOptions = { ...options, headers: { ...options.headers, 'idempotency-key': idempotencyKey } };
        return makeOperation(kind, operation, { ...context, idempotencyKey, fetchOptions });
      }),
      forward,
      tap(({ operation: { kind, key, context }, error }) => {
        if (kind !== 'mutation' || !context.idempotencyKey) return;
        if (error) failed.set(key, context.idempotencyKey as string);
        else failed.delete(key);
      }),
    );
};
