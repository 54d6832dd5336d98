/** The services of a Temporal cluster, each a process of its own. */
export const services = ['frontend', 'history', 'matching', 'worker'] as const;
export type Service = (typeof services)[number];
export type ServicePorts = Record<`${Service}-grpc` | `${Service}-membership`, number>;

/** Names of the databases of Temporal. */
export const databases = { main: 'temporal', visibility: 'temporal_visibility' } as const;

/** The configuration of every service. Temporal reads YAML, and JSON is YAML. */
export function configuration(server: URL, ports: ServicePorts, dynamicFile: string) {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: server.host,
      connectProtocol: 'tcp',
      user: decodeURIComponent(server.username),
      password: decodeURIComponent(server.password),
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const frontend = `127.0.0.1:${ports['frontend-grpc']}`;
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'main',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { main: store(databases.main, 12), visibility: store(databases.visibility, 4) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(
      services.map((name) => [
        name,
        { rpc: { grpcPort: ports[`${name}-grpc`], membershipPort: ports[`${name}-membership`], bindOnLocalHost: true } },
      ]),
    ),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: frontend } },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: frontend },
    dynamicConfigClient: { filepath: dynamicFile, pollInterval: '10s' },
  };
}

const dynamic = {
  'system.enableActivityEagerExecution': true,
  'frontend.namespaceRPS': 20_000,
  'frontend.rps': 20_000,
  'history.rps': 20_000,
  'matching.rps': 20_000,
};

export const dynamicConfiguration = Object.fromEntries(Object.entries(dynamic).map(([name, value]) => [name, [{ value }]]));
