import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../../start/servers/folders.ts';
import { freePort } from '../../../start/servers/ports.ts';
import { Absent, type Launched, launch, type Place } from '../launch.ts';

/** Path of the program: `HIVE_ROUTER`, the build in the cache folder, or the one on the path; undefined if there is none. */
function findHiveRouter(): string | undefined {
  const onPath = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'hive_router'));
  const places = [process.env.HIVE_ROUTER ?? '', join(cacheFolder(), 'bench-hive-router', 'bin', 'hive_router'), ...onPath];
  return places.find((file) => file !== '' && existsSync(file));
}

interface Variant {
  /** Deduplicate identical concurrent subgraph requests. */
  deduplicate: boolean;
}

export async function startHiveRouter({ supergraph, folder, core }: Place, { deduplicate }: Variant): Promise<Launched> {
  const command = findHiveRouter();
  if (!command) throw new Absent('there is no program hive_router; bench/gateway/README.md says how to build it');
  const port = await freePort();
  const file = join(folder, `hive-router-${port}.json`);
  const config = {
    http: { workers: 1 },
    supergraph: { source: 'file', path: supergraph },
    traffic_shaping: { all: { dedupe_enabled: deduplicate } },
  };
  await writeFile(file, JSON.stringify(config));
  // Environment variables override the file.
  const env = { ROUTER_CONFIG_FILE_PATH: file, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'error' };
  const url = `http://127.0.0.1:${port}/graphql`;
  return launch({ command, args: [], env, cwd: folder, url, core });
}
