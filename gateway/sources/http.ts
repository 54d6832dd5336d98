import type { DocumentNode } from 'graphql';
import type { RequestContext, Source, SourceRequest, SourceResult } from '../contract.ts';
import { fail } from '../errors.ts';
import { AnswerHandler, type ReceivedText } from './answer.ts';
import { type EndpointOptions, endpointOf, isResult } from './endpoint.ts';
import { type InFlight, isQuery } from './sharing.ts';
import { type SocketOptions, socketOf } from './socket.ts';

export interface HttpSourceOptions extends SocketOptions, EndpointOptions {
  /** GraphQL endpoint of the subgraph. Subscriptions use the same address over WebSocket. */
  url: string;
  /** Shared secret that authenticates the gateway to the subgraph. */
  secret?: string;
  /** Deduplicates in-flight queries with equal text, variables and headers. Without it, every query is sent. */
  inFlight?: InFlight;
  /** Pass on GraphQL errors of 5xx responses. By default, a 5xx response means that the subgraph is unavailable. */
  readsFailures?: boolean;
  /** Returns trace headers for each request. */
  trace?: () => Record<string, string>;
}

/** Create a source for a subgraph in another process. Every transport failure becomes `UNAVAILABLE`. */
export function httpSource({
  url,
  secret,
  timeoutMs: timeout,
  connections,
  inFlight,
  readsFailures,
  trace,
  ...live
}: HttpSourceOptions): Source {
  const { pool, path, timeoutMs } = endpointOf(url, { timeoutMs: timeout, connections });
  const socket = socketOf(url, secret, live);
  const send = (headers: string[], body: string, signal: AbortSignal | undefined) =>
    new Promise<ReceivedText>((resolve, reject) =>
      pool.dispatch(
        { method: 'POST', path, headers: trace ? [...headers, ...Object.entries(trace()).flat()] : headers, body },
        new AnswerHandler(resolve, reject, timeoutMs, signal, readsFailures),
      ),
    );

  return {
    async execute({ document, text, variables, context, isUnique }) {
      try {
        const body = `${bodyPrefixOf(document, text)}${JSON.stringify(variables)}}`;
        const headers = headersOf(context, secret);
        const { text: answer, cacheControl } =
          inFlight && !isUnique && isQuery(document)
            ? await inFlight.join(`${url}\n${JSON.stringify(headers)}\n${body}`, context.signal, (signal) =>
                send(headers, body, signal),
              )
            : await send(headers, body, context.signal);
        context.budget?.read(answer.length);
        return resultOf(JSON.parse(answer), cacheControl);
      } catch (cause) {
        throw Object.assign(fail('UNAVAILABLE', 'The subgraph cannot be reached'), { cause });
      }
    },
    subscribe: (request: SourceRequest) => socket.subscribe(request),
    async close() {
      await Promise.all([socket.close(), pool.close()]);
    },
  };
}

const bodyPrefixes = new WeakMap<DocumentNode, string>();

/** The constant part of a request body, cached by document. */
function bodyPrefixOf(document: DocumentNode, text: string): string {
  let prefix = bodyPrefixes.get(document);
  if (prefix === undefined) {
    prefix = `{"query":${JSON.stringify(text)},"variables":`;
    bodyPrefixes.set(document, prefix);
  }
  return prefix;
}

function headersOf({ headers }: RequestContext, secret: string | undefined): string[] {
  const sent = ['content-type', 'application/json', 'accept', 'application/json'];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) sent.push(name, value);
  }
  if (secret) sent.push('x-subgraph-secret', secret);
  return sent;
}

function resultOf(answer: unknown, cacheControl: string | undefined): SourceResult {
  if (!isResult(answer)) throw new Error('The subgraph did not answer GraphQL');
  answer.cacheControl = cacheControl;
  return answer;
}
