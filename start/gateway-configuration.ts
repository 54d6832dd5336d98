import { subgraphsOf } from 'compiled-gateway';
import { readEnvironment } from '../schema/environment.ts';
import { readConfig } from '../server/config.ts';
import { readManifests } from '../server/graphql/settings.ts';
import { readTls } from '../server/tls.ts';
import { readServingConfig } from '../subgraphs/common/config.ts';
import { readAll } from './configuration.ts';
import { isProduct, ownSubgraphs } from './own-subgraphs.ts';
import { addressesOf, othersOf } from './subgraph-sources.ts';
import { readSupergraph, type StartingSupergraph } from './supergraph.ts';
import { readTelemetryConfig } from './telemetry-config.ts';

export type GatewayConfiguration = Awaited<ReturnType<typeof readGatewayConfiguration>>;

/** Everything that a gateway process is told by its environment and the files that it names. Reports all faults at once. */
export async function readGatewayConfiguration() {
  const { config, telemetry, files, services } = await readAll({
    config: readConfig,
    telemetry: readTelemetryConfig,
    files: readGatewayFiles,
    services: async () => ((await supergraphOnce()).isProduct && hostsSubgraphs() ? readServingConfig() : undefined),
  });
  return { config, telemetry, services, ...files };
}

/** The files that the environment of a gateway names, with what depends on them. */
export const readGatewayFiles = () =>
  readAll({
    supergraph: supergraphOnce,
    manifests: () => readManifests(readEnvironment(['TRUSTED_DOCUMENTS']).TRUSTED_DOCUMENTS),
    tls: () => readTls(readEnvironment(['TLS_CERT', 'TLS_KEY'])),
    others: async () => addressesOf(othersOf((await supergraphOnce()).text), readEnvironment(['SUBGRAPH_URLS']).SUBGRAPH_URLS),
  });

interface Supergraph extends StartingSupergraph {
  isProduct: boolean;
}

let reading: Promise<Supergraph> | undefined;

/** Several parts of the configuration depend on the supergraph, which may lie at a URL. */
const supergraphOnce = (): Promise<Supergraph> => {
  reading ??= readSupergraph(readEnvironment(['SUPERGRAPH', 'SUPERGRAPH_HEADERS', 'SUPERGRAPH_POLL'])).then((supergraph) => ({
    ...supergraph,
    isProduct: isProduct(subgraphsOf(supergraph.text)),
  }));
  return reading;
};

const hostsSubgraphs = () => Object.values(readEnvironment(Object.values(ownSubgraphs))).some((address) => address === undefined);
