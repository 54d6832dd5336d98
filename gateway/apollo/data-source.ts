import type {
  GatewayCachePolicy,
  GatewayGraphQLRequest,
  GatewayGraphQLRequestContext,
  GatewayGraphQLResponse,
} from '@apollo/server-gateway-interface';
import { type DocumentNode, GraphQLError } from 'graphql';
import { Pool } from 'undici';
import { isResponse } from '../sources/http-source.ts';
import { transportHeaders } from '../sources/http1/http-connection.ts';

/** A request to one subgraph, in the format of Apollo's gateway. */
export interface DataSourceRequest<Context extends object = Record<string, unknown>> {
  /** `incoming operation`, or `health check` outside of operations. */
  kind: string;
  /** Hooks may change it before it is sent; `http.headers` holds the headers to send. */
  request: GatewayGraphQLRequest;
  /** The operation that Apollo Server executes; absent in a health check. */
  incomingRequestContext?: GatewayGraphQLRequestContext<Context>;
  /** The context value of the operation. */
  context: Context;
  document?: DocumentNode;
  /** Response path that the request completes; `@` means every item of a list. */
  pathInIncomingRequest?: (string | number)[];
}

/** Executes requests for a subgraph. `RemoteGraphQLDataSource` of `@apollo/gateway` fits. */
export interface GraphQLDataSource {
  process(request: DataSourceRequest<object>): Promise<GatewayGraphQLResponse>;
  close?(): Promise<void>;
}

/** The name of a subgraph and its URL in the supergraph. */
export interface ServiceDefinition {
  name: string;
  url?: string;
}

/** The argument of `didReceiveResponse`. */
interface ReceivedResponse<C extends object = Record<string, unknown>> {
  response: GatewayGraphQLResponse;
  request: GatewayGraphQLRequest;
  context: C;
  pathInIncomingRequest?: (string | number)[];
}

const CONNECTIONS = 64;
/** Time limit of a request, in milliseconds. */
const TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/**
 * Sends requests to a subgraph over HTTP, with the hooks of Apollo's `RemoteGraphQLDataSource`. Define the hooks in a subclass or
 * pass them to the constructor.
 */
export class RemoteDataSource<C extends object = Record<string, unknown>> implements GraphQLDataSource {
  readonly url: string;
  /** Apply the subgraph's `Cache-Control` header to the cache policy of the operation. */
  honorSubgraphCacheControlHeader = true;
  /** Change a request before it is sent. An error that it throws fails the fetch. */
  willSendRequest?(request: DataSourceRequest<C>): void | Promise<void>;
  /** Inspect or replace a response. */
  didReceiveResponse?(received: ReceivedResponse<C>): GatewayGraphQLResponse | Promise<GatewayGraphQLResponse>;
  readonly #pool: Pool;
  readonly #path: string;

  constructor({ url, ...config }: Partial<Omit<RemoteDataSource<C>, 'process' | 'close'>> & { url: string }) {
    Object.assign(this, config);
    this.url = url;
    const { origin, pathname, search } = new URL(url);
    this.#path = pathname + search;
    this.#pool = new Pool(origin, {
      connections: CONNECTIONS,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      maxResponseSize: MAX_RESPONSE_BYTES,
    });
  }

  async process(given: DataSourceRequest<C>): Promise<GatewayGraphQLResponse> {
    const { request, context, incomingRequestContext, pathInIncomingRequest } = given;
    const headers = new Headers([...(request.http?.headers ?? [])]);
    headers.set('content-type', 'application/json');
    headers.set('accept', 'application/json');
    request.http = { method: 'POST', url: this.url, headers };
    await this.willSendRequest?.(given);

    const response = await this.#send(request);
    const policy =
      this.honorSubgraphCacheControlHeader && (incomingRequestContext?.overallCachePolicy as GatewayCachePolicy | null);
    if (policy) policy.restrict(cacheHintIn(response.http?.headers.get('cache-control')));
    return this.didReceiveResponse ? this.didReceiveResponse({ response, request, context, pathInIncomingRequest }) : response;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #send({ http, ...request }: GatewayGraphQLRequest): Promise<GatewayGraphQLResponse> {
    const answer = await this.#pool.request({
      path: this.#path,
      method: 'POST',
      // A hook may have copied headers from the request of the caller.
      headers: Object.fromEntries([...http!.headers].filter(([name]) => !transportHeaders.has(name.toLowerCase()))),
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.body.text();
    const result = resultIn(text);
    const isAnswered = result && (answer.statusCode < 400 || Array.isArray(result.errors));
    if (!isAnswered) throw refusal(answer.statusCode);
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) for (const each of [value].flat()) headers.append(name, each ?? '');
    return { ...result, http: { status: answer.statusCode, headers } };
  }
}

function resultIn(text: string): GatewayGraphQLResponse | undefined {
  try {
    const result: unknown = JSON.parse(text);
    return isResponse(result) ? (result as GatewayGraphQLResponse) : undefined;
  } catch {
    return undefined;
  }
}

const codes: Record<number, string> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };

/** The error of a response that is not GraphQL. Callers see only 401 and 403. */
function refusal(status: number): Error {
  const code = codes[status];
  const message = `The subgraph answered ${status} without a GraphQL result`;
  return code ? new GraphQLError(message, { extensions: { code } }) : new Error(message);
}

/** The cache policy of a subgraph response. */
export interface CacheHint {
  maxAge: number;
  scope?: 'PUBLIC' | 'PRIVATE';
}

/** Parse a `Cache-Control` header. A response without `max-age` is not cacheable. */
export function cacheHintIn(header: string | null | undefined): CacheHint {
  const directives = new Map(
    (header ?? '').split(',').map((each): [string, string] => {
      const [name = '', value = ''] = each.trim().toLowerCase().split('=', 2);
      return [name, value.replaceAll('"', '')];
    }),
  );
  const age = directives.get('max-age');
  const isCacheable = age !== undefined && /^\d+$/.test(age) && !directives.has('no-store') && !directives.has('no-cache');
  const hint: CacheHint = { maxAge: isCacheable ? Number(age) : 0 };
  if (directives.has('private')) hint.scope = 'PRIVATE';
  else if (directives.has('public')) hint.scope = 'PUBLIC';
  return hint;
}
