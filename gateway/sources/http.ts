import type { DocumentNode } from 'graphql';
import { Pool } from 'undici';
import type { RequestContext, Source, SourceRequest, SourceResult } from '../contract.ts';
import { fail } from '../errors.ts';
import { AnswerHandler } from './answer.ts';
import { type InFlight, onlyReads } from './sharing.ts';
import { type SocketOptions, socketOf } from './socket.ts';

export interface HttpSourceOptions extends SocketOptions {
  /** Where the subgraph answers GraphQL; subscriptions go to the same address over WebSocket. */
  url: string;
  /** Proves to the subgraph that the caller is its gateway. */
  secret?: string;
  /** For the whole answer. */
  timeoutMs?: number;
  /** Connections kept open to the subgraph. */
  connections?: number;
  /** Queries that are the same, with the same headers, are sent once while they are under way here; without, each is sent. */
  inFlight?: InFlight;
  /** Pass on GraphQL errors that come with a status of 5xx; otherwise such an answer means that the subgraph is unavailable. */
  readsFailures?: boolean;
  /** Headers to send besides, made for each request. */
  trace?: () => Record<string, string>;
}

const largestAnswer = 64 * 1024 * 1024;

/** A subgraph in a process of its own. Whatever keeps it from answering is one failure, `UNAVAILABLE`. */
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
  const { origin, pathname, search } = new URL(url);
  const path = pathname + search;
  const pool = new Pool(origin, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs, maxResponseSize: largestAnswer });
  const socket = socketOf(url, secret, live);
  const send = (headers: string[], body: string, signal: AbortSignal | undefined) =>
    new Promise<string>((resolve, reject) =>
      pool.dispatch(
        { method: 'POST', path, headers: trace ? [...headers, ...Object.entries(trace()).flat()] : headers, body },
        new AnswerHandler(resolve, reject, timeoutMs, signal, readsFailures),
      ),
    );

  return {
    async execute({ document, text, variables, context }) {
      try {
        const body = `${openingOf(document, text)}${JSON.stringify(variables)}}`;
        const headers = headersOf(context, secret);
        const answer =
          inFlight && onlyReads(document)
            ? await inFlight.join(`${url}\n${headers.join('\n')}\n${body}`, context.signal, (signal) => send(headers, body, signal))
            : await send(headers, body, context.signal);
        context.budget?.read(answer.length);
        return resultOf(JSON.parse(answer));
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

const openings = new WeakMap<DocumentNode, string>();

/** The part of a body that is the same each time. */
function openingOf(document: DocumentNode, text: string): string {
  let opening = openings.get(document);
  if (opening === undefined) {
    opening = `{"query":${JSON.stringify(text)},"variables":`;
    openings.set(document, opening);
  }
  return opening;
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

function resultOf(answer: unknown): SourceResult {
  if (typeof answer === 'object' && answer !== null && ('data' in answer || 'errors' in answer)) return answer as SourceResult;
  throw new Error('The subgraph did not answer GraphQL');
}
