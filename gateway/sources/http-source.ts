import type { DocumentNode } from 'graphql';
import { request } from 'undici';
import { fail } from '../gateway-error.ts';
import type { Check, RequestContext, Source, SourceRequest, SourceResult } from '../source-contract.ts';
import { type HttpResponse, headerLines } from './http1/http-connection.ts';
import { HttpPool } from './http1/http-pool.ts';
import { type InFlight, isQuery } from './in-flight.ts';
import { type SocketOptions, socketOf } from './websocket-source.ts';

export interface HttpSourceOptions extends SocketOptions {
  /** GraphQL endpoint of the subgraph. Subscriptions use the same address over WebSocket. */
  url: string;
  /** Shared secret that authenticates the gateway to the subgraph. */
  secret?: string;
  /** Timeout of a whole request in milliseconds; default 30,000. */
  timeoutMs?: number;
  /** Maximum connections to the subgraph; default 64. */
  connections?: number;
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
  timeoutMs = 30_000,
  connections = 64,
  inFlight,
  readsFailures,
  trace,
  ...live
}: HttpSourceOptions): Source {
  const address = new URL(url);
  const pool = new HttpPool(address, { timeoutMs, connections });
  const socket = socketOf(url, secret, live);
  const headOf = headWriter(address, secret);
  const send = (head: string, body: string, signal: AbortSignal | undefined, owner: string | undefined) =>
    pool.request(trace ? head + headerLines(trace()) : head, body, signal, owner);

  return {
    async execute({ document, text, variables, context, isUnique }) {
      try {
        const body = `${bodyPrefixOf(document, text)}${JSON.stringify(variables)}}`;
        const head = headOf(context.headers);
        const received =
          inFlight && !isUnique && isQuery(document)
            ? await inFlight.join(`${url}\n${head}\n${body}`, context.signal, (signal) => send(head, body, signal, context.owner))
            : await send(head, body, context.signal, context.owner);
        context.budget?.read(received.text.length);
        return resultOf(received, readsFailures);
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

/** Writes the head of a request. The requests of one operation share their headers object, so it is cached by that. */
function headWriter({ host, pathname, search }: URL, secret: string | undefined) {
  const constant =
    `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n` +
    'content-type: application/json\r\naccept: application/json\r\n' +
    headerLines({ 'x-subgraph-secret': secret });
  const heads = new WeakMap<RequestContext['headers'], string>();
  return (headers: RequestContext['headers']): string => {
    let head = heads.get(headers);
    if (head === undefined) {
      head = constant + headerLines(secret === undefined ? headers : { ...headers, 'x-subgraph-secret': undefined });
      heads.set(headers, head);
    }
    return head;
  };
}

/** A response 4xx that is not GraphQL: the subgraph answers, and refuses this request. */
export class RequestRefused extends Error {}

function resultOf({ status, text, cacheControl }: HttpResponse, readsFailures: boolean | undefined): SourceResult {
  if (status >= 500 && !readsFailures) throw new Error(`The subgraph answered ${status}`);
  const result = jsonIn(text);
  if (!isResponse(result)) {
    if (status >= 400 && status < 500) throw new RequestRefused(`The subgraph answered ${status}`);
    throw new Error('The subgraph response is not GraphQL');
  }
  if (status >= 500 && !result.errors?.length) throw new Error(`The subgraph answered ${status}`);
  result.cacheControl = cacheControl;
  return result;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the body of an HTTP response is meant as a GraphQL response. The plan checks the types of its members. */
export const isResponse = (body: unknown): body is SourceResult =>
  typeof body === 'object' && body !== null && ('data' in body || 'errors' in body);

/** Create a check that an external subgraph answers. A refusal passes, because the request carries no credentials. */
export const subgraphCheck =
  (url: string): Check =>
  async (signal) => {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: '{"query":"{ __typename }"}',
      signal,
    });
    await body.dump();
    if (statusCode >= 500) throw new Error(`The subgraph answered ${statusCode}`);
  };

type Headers = Record<string, string | undefined>;

/** Wrap a source so that it receives other request headers than the caller sent. */
export function withHeaders<Context extends RequestContext>(source: Source, headersOf: (context: Context) => Headers): Source {
  // Sources cache by the context and its headers, so the requests of one operation share the copy.
  const copies = new WeakMap<RequestContext, RequestContext>();
  const contextOf = (context: RequestContext): RequestContext => {
    let copy = copies.get(context);
    if (!copy) {
      copy = { ...context, headers: headersOf(context as Context) };
      copies.set(context, copy);
    }
    return copy;
  };
  const changed = (request: SourceRequest): SourceRequest => ({ ...request, context: contextOf(request.context) });
  return {
    execute: (request) => source.execute(changed(request)),
    subscribe: (request) => source.subscribe(changed(request)),
    close: async () => source.close?.(),
  };
}

/** Wrap a source so that it receives only the named request headers. For subgraphs that are not part of the product. */
export const forwarding = (source: Source, names: readonly string[]): Source =>
  withHeaders(source, ({ headers }) => pick(headers, names));

/** The headers with these names. */
export function pick(headers: RequestContext['headers'], names: readonly string[]): Headers {
  const picked: Headers = {};
  for (const name of names) if (headers[name] !== undefined) picked[name] = headers[name];
  return picked;
}
