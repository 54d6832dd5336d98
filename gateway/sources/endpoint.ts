import { Pool } from 'undici';
import type { SourceResult } from '../contract.ts';

const maxResponseBytes = 64 * 1024 * 1024;

export interface EndpointOptions {
  /** Timeout of a whole request in milliseconds; default 30,000. */
  timeoutMs?: number;
  /** Maximum connections to the subgraph; default 64. */
  connections?: number;
}

/** The connections to the GraphQL endpoint of a subgraph. */
export function endpointOf(url: string, { timeoutMs = 30_000, connections = 64 }: EndpointOptions = {}) {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, {
    connections,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxResponseBytes,
  });
  return { pool, path: pathname + search, timeoutMs };
}

/** Whether the body of a response is a GraphQL result. */
export const isResult = (body: unknown): body is SourceResult =>
  typeof body === 'object' && body !== null && ('data' in body || 'errors' in body);
