import { readFile } from 'node:fs/promises';
import { type SubgraphAddress, subgraphsOf } from '../gateway/supergraph.ts';
import { ConfigurationError, readEnvironment } from '../schema/environment.ts';
import { readConfig } from '../server/config.ts';
import { readManifests } from '../server/graphql/settings.ts';
import { readTls } from '../server/tls.ts';
import { readServingConfig } from '../subgraphs/common/config.ts';
import { readAll } from './configuration.ts';
import { addressesOf } from './subgraph-sources.ts';
import { readTelemetryConfig } from './telemetry-config.ts';

/** The product's own subgraphs, and the variable that puts each into its own process. */
const own = { catalog: 'CATALOG_URL', agent: 'AGENT_URL', 'site-content': 'SITE_CONTENT_URL' } as const;

export type GatewayConfiguration = Awaited<ReturnType<typeof readGatewayConfiguration>>;

/** Everything that a gateway process is told by its environment and the files that it names. Reports all faults at once. */
export async function readGatewayConfiguration() {
  const { config, telemetry, files, services } = await readAll({
    config: readConfig,
    telemetry: readTelemetryConfig,
    files: readGatewayFiles,
    services: async () => ((await readSupergraph()).isProduct && hostsSubgraphs() ? readServingConfig() : undefined),
  });
  return { config, telemetry, services, ...files };
}

/** The files that the environment of a gateway names, with what depends on them. */
export const readGatewayFiles = () =>
  readAll({
    supergraph: readSupergraph,
    manifests: () => readManifests(readEnvironment(['TRUSTED_DOCUMENTS']).TRUSTED_DOCUMENTS),
    tls: () => readTls(readEnvironment(['TLS_CERT', 'TLS_KEY'])),
    others: async () => addressesOf((await readSupergraph()).others, readEnvironment(['SUBGRAPH_URLS']).SUBGRAPH_URLS),
  });

interface Supergraph {
  text: string;
  isProduct: boolean;
  /** Subgraphs that are not the product's own. */
  others: SubgraphAddress[];
}

/** A supergraph with all of the product's subgraphs is the product's, whichever others it has. */
async function readSupergraph(): Promise<Supergraph> {
  const { SUPERGRAPH } = readEnvironment(['SUPERGRAPH']);
  try {
    const text = await readFile(SUPERGRAPH, 'utf8');
    const subgraphs = subgraphsOf(text);
    const named = new Set(subgraphs.map(({ name }) => name));
    const isProduct = Object.keys(own).every((name) => named.has(name));
    return { text, isProduct, others: isProduct ? subgraphs.filter(({ name }) => !(name in own)) : subgraphs };
  } catch (error) {
    throw new ConfigurationError([`SUPERGRAPH: ${SUPERGRAPH}: ${(error as Error).message}`]);
  }
}

const hostsSubgraphs = () => Object.values(readEnvironment(Object.values(own))).some((address) => address === undefined);
