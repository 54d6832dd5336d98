import autocannon from 'autocannon';

const CONNECTIONS = 16;

/** A request that the load generator repeats. */
export interface Target {
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Default: POST. */
  method?: 'GET' | 'POST';
}

/** Requests per second over 16 keep-alive connections, each with one request in flight. Throws when a request fails. */
export async function requestsPerSecond({ url, headers, body, method = 'POST' }: Target, seconds: number): Promise<number> {
  const result = await autocannon({
    url,
    headers,
    ...(body !== undefined && { body }),
    method,
    connections: CONNECTIONS,
    duration: seconds,
  });
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed`);
  return result.requests.total / result.duration;
}

export async function bodyOf({ url, headers, body }: Target): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}
