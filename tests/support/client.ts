import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  body: any;
  headers: Headers;
}

const base = () => process.env.TEST_URL!;

/** Functions that run operations by `post`. */
export const operationsThrough = (post: (path: string, body: object) => Promise<Answer>) => ({
  /** Run an operation and return its `data`. Fails the test on errors. */
  async graphql(query: string, variables: Record<string, unknown> = {}) {
    const { body } = await post('/graphql', { query, variables });
    if (body.errors) throw new Error(`GraphQL: ${JSON.stringify(body.errors)}`);
    return body.data;
  },
  /** Run an operation and return its first error. */
  async refusal(query: string, variables: Record<string, unknown> = {}) {
    const { body } = await post('/graphql', { query, variables });
    const [error] = body.errors ?? [];
    return { message: error?.message as string | undefined, code: error?.extensions?.code as string | undefined };
  },
});

/** A REST, GraphQL and subscription client with this key, over real sockets. */
export function caller(key: string | undefined, { url = base(), organization }: { url?: string; organization?: string } = {}) {
  // With this media type the status reflects the outcome of the operation.
  const graphql = { accept: 'application/graphql-response+json' };
  const headers: Record<string, string> = {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(organization !== undefined && { 'x-organization': organization }),
  };

  const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(path === '/graphql' && graphql),
        ...headers,
        ...more,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
  };

  return {
    get: (path: string, more?: Record<string, string>) => send('GET', path, undefined, more),
    post: (path: string, body: unknown = {}, more?: Record<string, string>) => send('POST', path, body, more),
    send,
    ...operationsThrough((path, body) => send('POST', path, body)),
    /** Subscribe over graphql-ws. Leaving the loop unsubscribes and closes the socket. */
    subscribe(query: string, variables: Record<string, unknown> = {}) {
      const client = createClient({
        url: `${url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: headers,
        retryAttempts: 0,
      });
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
      return client.iterate<any>({ query, variables });
    },
  };
}

export type Caller = ReturnType<typeof caller>;
