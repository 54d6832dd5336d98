import type { GatewayGraphQLRequest, GatewayGraphQLRequestContext, GatewayGraphQLResponse } from '@apollo/server-gateway-interface';
import type { DocumentNode } from 'graphql';

/** A request to one subgraph, in the words of Apollo's gateway. */
export interface DataSourceRequest<Context extends object = Record<string, unknown>> {
  /** `incoming operation`, or `health check` outside of operations. */
  kind: string;
  /** May be changed before it is sent; `http.headers` has the headers to send. */
  request: GatewayGraphQLRequest;
  /** The operation that Apollo Server executes; absent in a health check. */
  incomingRequestContext?: GatewayGraphQLRequestContext<Context>;
  /** The context value of the operation. */
  context: Context;
  document?: DocumentNode;
  /** The place in the response that the request completes, `@` standing for the items of a list. */
  pathInIncomingRequest?: (string | number)[];
}

/** Anything that answers requests to a subgraph, such as `RemoteGraphQLDataSource` of `@apollo/gateway`. */
export interface GraphQLDataSource {
  process(request: DataSourceRequest<object>): Promise<GatewayGraphQLResponse>;
  close?(): Promise<void>;
}

/** The name of a subgraph, and its address in the supergraph. */
export interface ServiceDefinition {
  name: string;
  url?: string;
}
