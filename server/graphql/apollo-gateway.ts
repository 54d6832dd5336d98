import type { GatewayCachePolicy, GatewayInterface, GatewaySchemaLoadOrUpdateCallback } from '@apollo/server-gateway-interface';
import type { Gateway } from 'compiled-gateway';
import type { ExecutionResult } from 'graphql';

/** Adapts the gateway to Apollo Server: the current schema, and a function that runs the operation of a context. */
export function apolloGateway<Context>(
  gateway: Gateway,
  run: (context: Context, policy: GatewayCachePolicy) => Promise<ExecutionResult>,
): GatewayInterface {
  const listeners = new Set<GatewaySchemaLoadOrUpdateCallback>();
  return {
    onSchemaLoadOrUpdate(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async load() {
      gateway.derive(({ schema, supergraph }) => {
        for (const listener of listeners) listener({ apiSchema: schema, coreSupergraphSdl: supergraph });
      });
      return {
        executor: async ({ context, overallCachePolicy }) => run(context as Context, overallCachePolicy as GatewayCachePolicy),
      };
    },
    async stop() {
      listeners.clear();
    },
  };
}
