import { httpSource, type Source } from 'compiled-gateway';
import { request } from 'undici';
import { fileStore } from '../../platform/files/file-store.ts';
import type { Stop } from '../../platform/queues/background.ts';
import { scopeFactory } from '../../platform/scope/index.ts';
import { buildSubgraph, inProcess } from '../../platform/subgraph/build-subgraph.ts';
import type { ReadinessCheck } from '../../schema/readiness.ts';
import type { FileStore } from '../../schema/request.ts';
import { httpFiles } from '../../server/files-http.ts';
import { openOwnServices } from '../process-services.ts';
import { subgraphs } from '../subgraphs.ts';
import type { GatewayConfiguration } from './configuration.ts';
import type { Link } from './open-gateway.ts';

/** The product's own subgraphs, each in process or over HTTP, as configured. */
export async function openOwnSubgraphs({ config, services: servicesConfig }: GatewayConfiguration, link: Link) {
  const { SUBGRAPH_SECRET: secret = '' } = config;
  const own = new Map<string, Source>();
  const services = servicesConfig && (await openOwnServices(servicesConfig));
  const scopeOf = services && scopeFactory(services);
  const checks: Record<string, ReadinessCheck> = {};
  if (services) checks.database = () => services.pool.query('select 1');
  for (const { parts, url } of subgraphs) {
    const address = config[url];
    if (address) checks[parts.name] = ownSubgraphCheck(address, secret);
    const source = address
      ? httpSource({ url: `${address}/graphql`, secret, ...link })
      : inProcess(await buildSubgraph(parts), scopeOf!);
    own.set(parts.name, source);
  }
  // Operations that hold all other connections to the subgraph must not delay the admission of callers.
  const identity = config.CATALOG_URL
    ? httpSource({ url: `${config.CATALOG_URL}/graphql`, secret, trace: link.trace })
    : own.get('catalog')!;
  const files: FileStore = config.CATALOG_URL ? httpFiles({ url: `${config.CATALOG_URL}/files`, secret }) : fileStore(scopeOf!);
  const close = async (stop: Stop) => {
    if (config.CATALOG_URL) await stop('identity', () => identity.close?.());
    await services?.close(stop);
  };
  return { own, identity, files, services, checks, close };
}

/**
 * Checks that one of the product's own subgraphs is ready and accepts the secret. A subgraph that shuts down passes while it accepts
 * requests: behind a load balancer, one restarting process must not take all gateways out.
 */
const ownSubgraphCheck =
  (address: string, secret: string): ReadinessCheck =>
  async (signal) => {
    const { statusCode, body } = await request(`${address}/readyz`, { headers: { 'x-subgraph-secret': secret }, signal });
    const text = await body.text();
    const isClosing = statusCode === 503 && text.includes('"closing"');
    if (statusCode !== 200 && !isClosing) throw new Error(`The subgraph answered ${statusCode}`);
  };
