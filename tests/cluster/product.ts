import { startProcess } from '../support/processes.ts';
import { environmentOf } from '../support/system.ts';
import type { Front } from './balancer.ts';
import { Part } from './part.ts';
import { portsFor } from './ports.ts';

const subgraphs = { catalog: 'CATALOG_URL', agent: 'AGENT_URL', 'site-content': 'SITE_CONTENT_URL' } as const;
type Subgraph = keyof typeof subgraphs;
const names = Object.keys(subgraphs) as Subgraph[];
const copies = [1, 2] as const;

interface Environment {
  /** The database through the pooler, and the server itself. */
  databaseUrl: string;
  directUrl: string;
  temporalAddress: string;
  provider: string;
  /** Overrides variables of every process. */
  env?: Record<string, string>;
  /** Returns the folder with the sources of the next process that starts. */
  sources?: () => string;
}

/** The ports of the product: those of the balancer and of every process. */
export async function productPorts() {
  const fronts = await portsFor(['gateway', 'site', ...names]);
  const copied = copies.flatMap((copy) => ['gateway', 'site', ...names, 'worker'].map((name) => `${name}-${copy}`));
  const own = await portsFor(copied);
  const of = (name: string) => copies.map((copy) => own[`${name}-${copy}`]!);
  return {
    own,
    fronts: Object.entries(fronts).map(
      ([name, port]): Front => ({ name, port, servers: of(name), isPublic: name === 'gateway' || name === 'site' }),
    ),
    url: `http://127.0.0.1:${fronts.gateway}`,
    siteUrl: `http://127.0.0.1:${fronts.site}`,
    subgraphUrls: Object.fromEntries(names.map((name) => [subgraphs[name], `http://127.0.0.1:${fronts[name]}`])),
  };
}

type Ports = Awaited<ReturnType<typeof productPorts>>;

/** The processes of the product: two of each subgraph, of the worker and of the gateway, in the order of their start. */
export function productParts({ own, url, subgraphUrls }: Ports, options: Environment): Part[] {
  const common = environmentOf({
    databaseUrl: options.databaseUrl,
    temporalAddress: options.temporalAddress,
    provider: options.provider,
    env: {
      DATABASE_DIRECT_URL: options.directUrl,
      SUBGRAPH_SECRET: 'known-to-the-processes-of-the-cluster-only',
      // The balancer is the only peer, and it is on this machine.
      TRUST_PROXY: 'true',
      ALLOW_HTTP: 'true',
      // Longer than the balancer needs to notice.
      SHUTDOWN_DELAY: '5',
      ...options.env,
    },
  });
  const part = (name: string, script: string, args: string[], env: Record<string, string>) =>
    new Part(name, () => startProcess(script, args, { ...common, ...env }, options.sources?.()));
  const port = (name: string) => String(own[name]!);
  return [
    ...names.flatMap((name) =>
      copies.map((copy) =>
        part(`${name}-${copy}`, 'start/subgraph.ts', [name], { PORT: port(`${name}-${copy}`), GATEWAY_URL: url }),
      ),
    ),
    ...copies.map((copy) => part(`worker-${copy}`, 'start/worker.ts', [], { HEALTH_PORT: port(`worker-${copy}`) })),
    ...copies.map((copy) =>
      part(`gateway-${copy}`, 'start/gateway.ts', [], {
        ...subgraphUrls,
        // Everything that a gateway serves comes from the subgraphs.
        DATABASE_URL: '',
        DATABASE_DIRECT_URL: '',
        PORT: port(`gateway-${copy}`),
        SITE_PORT: port(`site-${copy}`),
      }),
    ),
  ];
}
