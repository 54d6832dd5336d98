import type { GatewayCachePolicy, GatewayGraphQLRequest, GatewayGraphQLResponse } from '@apollo/server-gateway-interface';
import { GraphQLError } from 'graphql';
import { endpointOf, isResult } from '../sources/endpoint.ts';
import { cacheHintIn } from './cache-control.ts';
import type { DataSourceRequest, GraphQLDataSource } from './data-source.ts';

/** The argument of `didReceiveResponse`. */
export interface ReceivedResponse<C extends object = Record<string, unknown>> {
  response: GatewayGraphQLResponse;
  request: GatewayGraphQLRequest;
  context: C;
  pathInIncomingRequest?: (string | number)[];
}

/** Headers of one connection, and an encoding that is not decoded. A hook may have copied them from the request of the caller. */
const transportHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

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
  readonly #endpoint: ReturnType<typeof endpointOf>;

  constructor({ url, ...config }: Partial<Omit<RemoteDataSource<C>, 'process' | 'close'>> & { url: string }) {
    Object.assign(this, config);
    this.url = url;
    this.#endpoint = endpointOf(url);
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
    await this.#endpoint.pool.close();
  }

  async #send({ http, ...request }: GatewayGraphQLRequest): Promise<GatewayGraphQLResponse> {
    const { pool, path, timeoutMs } = this.#endpoint;
    const answer = await pool.request({
      path,
      method: 'POST',
      headers: Object.fromEntries([...http!.headers].filter(([name]) => !transportHeaders.has(name.toLowerCase()))),
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(timeoutMs),
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
    return isResult(result) ? (result as GatewayGraphQLResponse) : undefined;
  } catch {
    return undefined;
  }
}

const codes: Record<number, string> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };

/** The error of a response that is not GraphQL. Callers see only 401 and 403. */
function refusal(status: number): Error {
  const code = codes[status];
  const message = `The subgraph answered ${status} without GraphQL`;
  return code ? new GraphQLError(message, { extensions: { code } }) : new Error(message);
}
