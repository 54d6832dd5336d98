import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../start/servers/ports.ts';
import { type Launched, launch, type Place, script } from './launch.ts';
import { startHiveGateway } from './peers/hive-gateway.ts';
import { startHiveRouter } from './peers/hive-router.ts';

export interface Peer {
  /** Name for `--peers`. */
  key: string;
  name: string;
  /** Throws `Absent` if the peer is not available on this machine. */
  start(place: Place): Promise<Launched>;
}

const profiled = (key: string, folder: string | undefined) =>
  folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${key}.cpuprofile`] : [];

/** The product's gateway process with any supergraph. */
const ours = (key: string, name: string, env: Record<string, string>): Peer => ({
  key,
  name,
  async start({ supergraph, core, profile }) {
    const port = await freePort();
    return launch({
      ...script('start/gateway.ts', [], profiled(key, profile)),
      env: {
        SUPERGRAPH: supergraph,
        HOST: '127.0.0.1',
        PORT: String(port),
        SHUTDOWN_DELAY: '0',
        LOG_LEVEL: 'warn',
        ...env,
      },
      url: `http://127.0.0.1:${port}/graphql`,
      core,
    });
  },
});

/** The command of the gateway's package. */
const served: Peer = {
  key: 'serve',
  name: 'ours by its command',
  async start({ supergraph, folder, core, profile }) {
    const port = await freePort();
    const config = join(folder, 'gateway.json');
    await writeFile(config, JSON.stringify({ supergraph: { source: supergraph }, server: { port }, shareRequests: false }));
    const command = script('gateway/cli/cli.ts', ['serve', '--config', config], profiled('serve', profile));
    return launch({ ...command, url: `http://127.0.0.1:${port}/graphql`, core });
  },
};

const inProcess: Peer = {
  key: 'in-process',
  name: 'ours in process',
  async start({ supergraph, core, profile }) {
    const port = await freePort();
    const command = script('bench/gateway/peers/in-process.ts', [supergraph, String(port)], profiled('in-process', profile));
    return launch({ ...command, url: `http://127.0.0.1:${port}/graphql`, core });
  },
};

const apollo: Peer = {
  key: 'apollo',
  name: 'Apollo standalone',
  async start({ supergraph, core }) {
    const port = await freePort();
    return launch({
      ...script('bench/gateway/peers/apollo.ts', [supergraph, String(port)]),
      url: `http://127.0.0.1:${port}/`,
      core,
    });
  },
};

const hiveGateway = (key: string, name: string, variant: Parameters<typeof startHiveGateway>[1]): Peer => ({
  key,
  name,
  start: (place) => startHiveGateway(place, variant),
});

const hiveRouter = (key: string, name: string, variant: Parameters<typeof startHiveRouter>[1]): Peer => ({
  key,
  name,
  start: (place) => startHiveRouter(place, variant),
});

/** The first peer is the baseline. "Shared" peers deduplicate concurrent subgraph requests. */
export const peers: readonly Peer[] = [
  apollo,
  hiveGateway('hive-shared', 'Hive Gateway, shared', { deduplicate: true }),
  hiveGateway('hive', 'Hive Gateway', { deduplicate: false }),
  hiveGateway('hive-rust', 'Hive Gateway, Rust planner', { deduplicate: false, flags: ['--hive-router-runtime'] }),
  hiveRouter('hive-router-shared', 'Hive Router (Rust), shared', { deduplicate: true }),
  hiveRouter('hive-router', 'Hive Router (Rust)', { deduplicate: false }),
  ours('http-shared', 'ours over HTTP, shared', { SHARE_REQUESTS: 'true' }),
  ours('http', 'ours over HTTP', { SHARE_REQUESTS: 'false' }),
  served,
  ours('apollo-front', 'ours in Apollo Server', { SHARE_REQUESTS: 'false', APOLLO_SERVER: 'true' }),
  inProcess,
];
