import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../../start/servers/folders.ts';
import { freePort } from '../../../start/servers/ports.ts';
import { lastLines, run } from '../../../start/servers/processes.ts';
import { Absent, type Launched, launch, type Place } from '../launch.ts';

const PACKAGES = ['@graphql-hive/gateway@2.15.1', '@graphql-hive/router-runtime@1.4.23'];
/** Resolve dependencies as of the release date. */
const AS_OF = '2026-10-05';

const config = `export const gatewayConfig = { transportEntries: { '*.http': { options: { deduplicateInflightRequests: false } } } };\n`;

interface Variant {
  /** Deduplicate identical concurrent subgraph requests. */
  deduplicate: boolean;
  flags?: string[];
}

export async function startHiveGateway(
  { supergraph, folder, core, note }: Place,
  { deduplicate, flags = [] }: Variant,
): Promise<Launched> {
  const installed = await install(note);
  const args = [join(installed, 'node_modules', '.bin', 'hive-gateway'), 'supergraph', supergraph, ...flags];
  if (!deduplicate) {
    const file = join(folder, 'hive-gateway.mjs');
    await writeFile(file, config);
    args.push('--config-path', file);
  }
  const port = await freePort();
  args.push('--host', '127.0.0.1', '--port', String(port));
  return launch({
    command: process.execPath,
    args,
    env: { LOG_LEVEL: 'warn' },
    cwd: folder,
    url: `http://127.0.0.1:${port}/graphql`,
    core,
  });
}

/** Installs the gateway once into the shared cache folder, because it is not a dependency of the product. */
async function install(note: (text: string) => void): Promise<string> {
  const folder = join(cacheFolder(), 'bench-hive-gateway', PACKAGES[0]!.split('@').at(-1)!);
  const stamp = join(folder, '.installed');
  if (existsSync(stamp)) return folder;
  note('installing Hive Gateway (first run)');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', `--before=${AS_OF}`, '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES];
  const { code, output } = await run('npm', args, { cwd: folder });
  if (code !== 0) throw new Absent(`Hive Gateway cannot be installed:\n${lastLines(output)}`);
  await writeFile(stamp, PACKAGES.join('\n'));
  return folder;
}
