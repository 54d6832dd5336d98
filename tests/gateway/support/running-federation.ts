import { parse } from 'graphql';
import { stopFully } from '../../../platform/queues/background.ts';
import { readConfig } from '../../../server/config.ts';
import { startFederation } from '../../../start/gateway/federation.ts';
import type { InitialSupergraph } from '../../../start/gateway/supergraph.ts';
import { readTelemetryConfig } from '../../../start/telemetry/start.ts';
import { compose, link, type Subgraph } from './federation.ts';

export type Config = ReturnType<typeof readConfig>;

/** The supergraph of subgraphs that are served at their addresses. */
export function supergraphOf(subgraphs: readonly Subgraph[]): string {
  return compose(subgraphs.map(({ name, url, typeDefs }) => ({ name, url, typeDefs: parse(link + typeDefs) })));
}

const still = (text: string): InitialSupergraph => ({
  text,
  refused: [],
  location: {
    name: 'a test',
    interval: 60_000,
    read: async () => text,
    readChange: async () => undefined,
    close: async () => {},
  },
});

/** Run the gateway for external subgraphs like `npm run start:gateway`, in this process. */
export async function runFederation(supergraph: string | InitialSupergraph, config: Partial<Config> = {}) {
  const starting = typeof supergraph === 'string' ? still(supergraph) : supergraph;
  const { addresses, close } = await startFederation({
    config: { ...readConfig(), PORT: 0, LOG_LEVEL: 'silent', ...config },
    manifests: [],
    tls: undefined,
    telemetry: readTelemetryConfig(),
    supergraph: starting,
  });
  return {
    url: addresses.url,
    async ask(query: string, headers: Record<string, string> = {}) {
      const response = await fetch(`${addresses.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      });
      return response.json();
    },
    [Symbol.asyncDispose]: () => close(stopFully),
  };
}
