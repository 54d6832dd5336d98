import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { FastifyBaseLogger } from 'fastify';
import type { ExecutionResult } from 'graphql';
import { GraphQLError, OperationTypeNode } from 'graphql';
import { codeOf, errors, fail } from '../../schema/errors.ts';
import type { RequestContext } from '../../schema/request.ts';
import type { Gateway } from '../gateway.ts';
import type { Execution } from './execution.ts';
import type { Limits } from './limits.ts';
import { present } from './present.ts';

type ApolloGateway = NonNullable<ApolloServerOptionsWithGateway<GraphQLContext>['gateway']>;

export interface GraphQLContext {
  /** Apollo copies the context of an operation; the caller inside stays the same object. */
  caller: RequestContext;
}

/** GraphQL over HTTP, by Apollo Server: it reads requests and writes responses, the gateway does what is between. */
export function createApollo(
  { schema }: Gateway,
  execution: Execution,
  limits: Limits,
  log: FastifyBaseLogger,
): ApolloServer<GraphQLContext> {
  const gateway: ApolloGateway = {
    onSchemaLoadOrUpdate(loaded) {
      loaded({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => {};
    },
    load: async () => ({
      executor: async ({ document, operation, request, context }) => {
        if (operation?.operation === OperationTypeNode.SUBSCRIPTION) return asHttp({ errors: [overWebSocket()] });
        const { operationName, variables } = request;
        return asHttp(await execution.execute({ document, operationName, variables, context: (context as GraphQLContext).caller }));
      },
    }),
    stop: async () => {},
  };

  return new ApolloServer<GraphQLContext>({
    gateway,
    logger: log,
    // The execution checks documents itself, limits before the rules of GraphQL, for this transport as for the other.
    dangerouslyDisableValidation: true,
    parseOptions: { maxTokens: limits.tokens },
    formatError: (formatted, error) => present(formatted, log, error),
    includeStacktraceInErrorResponses: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    // Compiled operations are kept anyway; a store that callers fill is only something to flood.
    persistedQueries: false,
    stopOnTerminationSignals: false,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
    ],
  });
}

const overWebSocket = () =>
  fail('INVALID_INPUT', 'Subscriptions run over WebSocket at this address, by the subprotocol graphql-transport-ws');

/** A result without data is a refusal, and its status says which; anything else is 200. */
function asHttp(result: ExecutionResult): ExecutionResult {
  const { data, errors: [first, ...others] = [] } = result;
  if (data !== undefined || !first) return result;
  const { message, nodes, source, positions, path } = first;
  const extensions = { ...first.extensions, http: { status: statusOf(first) } };
  const refused = new GraphQLError(message, { nodes, source, positions, path, originalError: first, extensions });
  return { ...result, errors: [refused, ...others] };
}

/** Codes that are not in the list say that the document is at fault. */
function statusOf(error: GraphQLError): number {
  const { code } = error.extensions;
  return code !== undefined && !Object.hasOwn(errors, String(code)) ? 400 : errors[codeOf(error.toJSON())];
}
