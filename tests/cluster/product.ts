import { join } from 'node:path';
import { environmentOf } from '../support/environment.ts';
import { startProcess } from '../support/processes.ts';
import type { Front } from './balancer.ts';
import { type Network, urlThrough } from './network/toxiproxy.ts';
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
  network: Network;
  /** The folder of the logs. */
  folder: string;
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

/** Milliseconds within which a process must be ready, also while its dependencies fail. */
const READY_MS = 90_000;

/** The processes of the product: two of each subgraph, of the worker and of the gateway, in the order of their start. */
export async function productParts({ own, url, subgraphUrls }: Ports, options: Environment): Promise<Part[]> {
  const common = environmentOf({
    ...options,
    env: {
      SUBGRAPH_SECRET: 'known-to-the-processes-of-the-cluster-only',
      // The balancer is the only peer, and it is on this machine.
      TRUST_PROXY: 'true',
      ALLOW_HTTP: 'true',
      // Longer than the balancer needs to notice.
      SHUTDOWN_DELAY: '5',
      ...options.env,
    },
  });
  const through = (from: string, to: string, target: string) => urlThrough(options.network, from, to, target);
  /** The dependencies of every process with a database, as that process reaches them. */
  const dependenciesOf = async (name: string) => ({
    DATABASE_URL: await through(name, 'pgbouncer', options.databaseUrl),
    DATABASE_DIRECT_URL: await through(name, 'postgres', options.directUrl),
    OPENAI_BASE_URL: await through(name, 'provider', options.provider),
  });
  const subgraphsOf = async (name: string) => {
    const urls = Object.entries(subgraphUrls).map(async ([key, target]) => [key, await through(name, subgraphOf(key), target)]);
    return Object.fromEntries(await Promise.all(urls)) as Record<string, string>;
  };
  const port = (name: string) => String(own[name]!);
  const kinds: Record<
    string,
    { script: string; args: string[]; env: (name: string, copy: number) => Promise<Record<string, string>> }
  > = {
    ...Object.fromEntries(
      names.map((subgraph) => [
        subgraph,
        {
          script: 'start/subgraph.ts',
          args: [subgraph],
          env: async (name: string) => ({
            ...(await dependenciesOf(name)),
            ...{ PORT: port(name), GATEWAY_URL: subgraph === 'agent' ? await through(name, 'gateway', url) : url },
          }),
        },
      ]),
    ),
    worker: {
      script: 'start/worker.ts',
      args: [],
      env: async (name) => ({
        ...(await dependenciesOf(name)),
        TEMPORAL_ADDRESS: new URL(await through(name, 'temporal-frontend', `http://${options.temporalAddress}`)).host,
        HEALTH_PORT: port(name),
      }),
    },
    gateway: {
      script: 'start/gateway.ts',
      args: [],
      // Everything that a gateway serves comes from the subgraphs.
      env: async (name, copy) => ({
        ...(await subgraphsOf(name)),
        ...{ DATABASE_URL: '', DATABASE_DIRECT_URL: '', PORT: port(name), SITE_PORT: port(`site-${copy}`) },
      }),
    },
  };
  const parts = Object.entries(kinds).flatMap(([kind, { script, args, env }]) =>
    copies.map(async (copy) => {
      const name = `${kind}-${copy}`;
      const own = { ...common, ...(await env(name, copy)) };
      return new Part(name, () =>
        startProcess(script, args, own, {
          ...{ readyMs: READY_MS, detached: true, logFile: join(options.folder, `${name}.log`) },
          sources: options.sources?.(),
        }),
      );
    }),
  );
  return Promise.all(parts);
}

const subgraphOf = (variable: string): string => names.find((name) => subgraphs[name] === variable)!;
