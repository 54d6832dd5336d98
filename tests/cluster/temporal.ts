import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastLines, poll, run } from '../../start/servers/processes.ts';
import { findTemporal } from '../../start/servers/temporal.ts';
import { launch, Part } from './part.ts';
import { portsFor, untilOpen } from './ports.ts';
import type { Programs } from './programs.ts';
import { configuration, databases, dynamicConfiguration, type ServicePorts, services } from './temporal-configuration.ts';

const NAMESPACE = 'default';
const READY_MS = 120_000;

/** The services of a Temporal cluster with its data in PostgreSQL. Creates its tables; the caller starts the services. */
export async function prepareTemporal(programs: Programs, dataDir: string, serverUrl: string, onStep: (text: string) => void) {
  const server = new URL(serverUrl);
  onStep('Creating the tables of Temporal');
  await createTables(programs.temporalSchema, server);

  const ports = (await portsFor(services.flatMap((name) => [`${name}-grpc`, `${name}-membership`]))) as ServicePorts;
  const folder = join(dataDir, 'temporal');
  const dynamicFile = join(folder, 'dynamic.yaml');
  await mkdir(join(folder, 'config'), { recursive: true });
  await writeFile(dynamicFile, JSON.stringify(dynamicConfiguration));
  const written = JSON.stringify(configuration(server, ports, dynamicFile), null, 2);
  await writeFile(join(folder, 'config', 'cluster.yaml'), written, { mode: 0o600 });

  const parts = services.map(
    (name) =>
      new Part(`temporal-${name}`, () =>
        launch({
          command: programs.temporalServer,
          args: ['--root', folder, '--env', 'cluster', '--allow-no-auth', 'start', '--service', name],
          logFile: join(folder, `${name}.log`),
          // The worker service serves no calls, so only its membership port is open.
          ready: () => untilOpen(ports[`${name}-${name === 'worker' ? 'membership' : 'grpc'}`]),
        }),
      ),
  );
  const address = `127.0.0.1:${ports['frontend-grpc']}`;
  return {
    parts,
    address,
    async createNamespace() {
      onStep('Creating the Temporal namespace');
      await createNamespace(await findTemporal(onStep), address);
    },
  };
}

async function createTables(program: string, server: URL): Promise<void> {
  const connection = ['--plugin', 'postgres12', '--endpoint', server.hostname, '--port', server.port];
  const account = ['--user', decodeURIComponent(server.username), '--password', decodeURIComponent(server.password)];
  for (const [schema, database] of Object.entries({ temporal: databases.main, visibility: databases.visibility })) {
    for (const command of [
      ['create-database'],
      ['setup-schema', '--version', '0.0'],
      ['update-schema', '--schema-name', `postgresql/v12/${schema}`],
    ]) {
      const { code, output } = await run(program, [...connection, ...account, '--database', database, ...command]);
      if (code !== 0) throw new Error(`Temporal's schema tool failed at ${command[0]} of ${database}: ${lastLines(output)}`);
    }
  }
}

/** The services know a new namespace only after they have refreshed their caches, so wait until lists work. */
async function createNamespace(cli: string, address: string): Promise<void> {
  const call = (...args: string[]) => run(cli, [...args, '--address', address, '--namespace', NAMESPACE], { timeoutMs: 15_000 });
  let said = '';
  const succeeds = (...args: string[]) =>
    poll(
      async () => {
        const { code, output } = await call(...args);
        said = output;
        return code === 0 || /already exists|already registered/i.test(output) ? true : undefined;
      },
      { forMs: READY_MS, everyMs: 1_000 },
    );
  const isReady =
    (await succeeds('operator', 'namespace', 'create', '--retention', '24h')) &&
    (await succeeds('workflow', 'list', '--limit', '1'));
  if (!isReady) throw new Error(`Temporal did not become ready: ${lastLines(said)}`);
}
