import { Pool } from 'undici';
import { fail } from '../schema/errors.ts';
import type { RequestContext, Source, SourceRequest, SourceResult } from '../schema/request.ts';
import { socketOf } from './source-socket.ts';

export interface HttpSourceOptions {
  /** Where the subgraph answers GraphQL; subscriptions go to the same address over WebSocket. */
  url: string;
  /** Proves to the subgraph that the caller is its gateway. */
  secret?: string;
  /** For the whole answer. */
  timeoutMs?: number;
  /** Connections kept open to the subgraph. */
  connections?: number;
}

const largestAnswer = 64 * 1024 * 1024;

/** A subgraph in a process of its own. Whatever keeps it from answering is one failure, `UNAVAILABLE`. */
export function httpSource({ url, secret, timeoutMs = 30_000, connections = 64 }: HttpSourceOptions): Source {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs, maxResponseSize: largestAnswer });
  const socket = socketOf(url, secret);

  return {
    async execute({ text, variables, context }) {
      const { signal, done } = deadline(timeoutMs, context.signal);
      try {
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: pathname + search,
          headers: headersOf(context, secret),
          body: JSON.stringify({ query: text, variables }),
          signal,
        });
        const answer = await body.text();
        if (statusCode >= 500) throw new Error(`The subgraph answered ${statusCode}`);
        return resultOf(JSON.parse(answer));
      } catch (cause) {
        throw Object.assign(fail('UNAVAILABLE', 'The subgraph cannot be reached'), { cause });
      } finally {
        done();
      }
    },
    subscribe: (request: SourceRequest) => socket.subscribe(request),
    async close() {
      await Promise.all([socket.close(), pool.close()]);
    },
  };
}

function headersOf({ headers }: RequestContext, secret: string | undefined): Record<string, string> {
  const sent: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  for (const name in headers) if (headers[name] !== undefined) sent[name] = headers[name];
  if (secret) sent['x-subgraph-secret'] = secret;
  return sent;
}

function resultOf(answer: unknown): SourceResult {
  if (typeof answer === 'object' && answer !== null && ('data' in answer || 'errors' in answer)) return answer as SourceResult;
  throw new Error('The subgraph did not answer GraphQL');
}

/** Undici's time-outs are for pauses; a subgraph that trickles would pass them. */
function deadline(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    done() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}
