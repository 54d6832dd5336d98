import { subgraphsOf } from 'compiled-gateway';
import { readEnvironment } from '../../schema/environment.ts';
import { readConfig, readTls } from '../../server/config.ts';
import { readManifests } from '../../server/graphql/documents.ts';
import { readAll, readServingConfig } from '../process/config.ts';
import { readTelemetryConfig } from '../telemetry/start.ts';
import { addressesOf, externalSubgraphs, type InitialSupergraph, isProduct, ownSubgraphs, readSupergraph } from './supergraph.ts';

export type GatewayConfiguration = Awaited<ReturnType<typeof readGatewayConfiguration>>;

/** Read the environment of a gateway process and the files that it names. Reports all faults together. */
export async function readGatewayConfiguration() {
  const { config, telemetry, files, services } = await readAll({
    config: readConfig,
    telemetry: readTelemetryConfig,
    files: readGatewayFiles,
    services: async () => ((await supergraphOnce()).isProduct && hostsSubgraphs() ? readServingConfig() : undefined),
  });
  return { config, telemetry, services, ...files };
}

/** Read the files that the gateway environment names, and the settings that depend on them. */
export const readGatewayFiles = () =>
  readAll({
    supergraph: supergraphOnce,
    manifests: () => readManifests(readEnvironment(['TRUSTED_DOCUMENTS']).TRUSTED_DOCUMENTS),
    tls: () => readTls(readEnvironment(['TLS_CERT', 'TLS_KEY'])),
    others: async () =>
      addressesOf(externalSubgraphs((await supergraphOnce()).text), readEnvironment(['SUBGRAPH_URLS']).SUBGRAPH_URLS),
  });

interface Supergraph extends InitialSupergraph {
  isProduct: boolean;
}

let reading: Promise<Supergraph> | undefined;

/** Reads the supergraph once, because several settings depend on it and it may be remote. */
const supergraphOnce = (): Promise<Supergraph> => {
  reading ??= readSupergraph(readEnvironment(['SUPERGRAPH', 'SUPERGRAPH_HEADERS', 'SUBGRAPH_URLS'])).then((supergraph) => ({
    ...supergraph,
    isProduct: isProduct(subgraphsOf(supergraph.text)),
  }));
  return reading;
};

const hostsSubgraphs = () => Object.values(readEnvironment(Object.values(ownSubgraphs))).some((address) => address === undefined);
