import type { GatewayGraphQLRequest, GatewayGraphQLRequestContext, GatewayGraphQLResponse } from '@apollo/server-gateway-interface';
import type { DocumentNode } from 'graphql';

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
