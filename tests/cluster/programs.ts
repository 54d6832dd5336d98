import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder, isRoot } from '../../start/servers/folders.ts';
import { lastLines, run } from '../../start/servers/processes.ts';

/** The programs of a cluster that npm does not install. */
export interface Programs {
  haproxy: string;
  pgbouncer: string;
  temporalServer: string;
  /** Creates and updates the tables of Temporal. */
  temporalSchema: string;
  /** Disturbs connections. */
  toxiproxy: string;
}

const INSTALL = 'npm run cluster:install';
const packages = ['haproxy', 'pgbouncer'] as const;

/** A program that Go builds from a package of a module. */
interface GoProgram {
  title: string;
  module: string;
  version: string;
  path: string;
}

const temporal = { module: 'go.temporal.io/server', version: 'v1.29.1' };
const goPrograms = {
  temporalServer: { title: "Temporal's server", ...temporal, path: 'cmd/server' },
  temporalSchema: { title: "Temporal's schema tool", ...temporal, path: 'cmd/tools/sql' },
  toxiproxy: { title: 'Toxiproxy', module: 'github.com/Shopify/toxiproxy/v2', version: 'v2.12.0', path: 'cmd/server' },
} satisfies Record<string, GoProgram>;

const folderOf = ({ module, version }: GoProgram) =>
  join(cacheFolder(), module.startsWith(temporal.module) ? `temporal-server-${version}` : `toxiproxy-${version}`);

async function found(...candidates: string[]): Promise<string | undefined> {
  for (const path of candidates) {
    // Some answer an unknown option with another code; -1 means that there is no such program.
    const { code } = await run(path, ['--version'], { timeoutMs: 10_000 });
    if (code !== -1) return path;
  }
  return undefined;
}

const findPackage = (name: string) => found(name, `/usr/sbin/${name}`);
/** Find PgBouncer. Returns undefined if it is not installed. */
export const findPooler = () => findPackage('pgbouncer');
const findGoProgram = (program: GoProgram) => found(join(folderOf(program), basename(program.path)));

/** Find the programs. Throws an error that names the missing ones and the command that installs them. */
export async function findPrograms(): Promise<Programs> {
  const found = [
    ...packages.map(async (name) => [name, await findPackage(name)] as const),
    ...Object.entries(goPrograms).map(async ([name, program]) => [name, await findGoProgram(program)] as const),
  ];
  const programs = Object.fromEntries(await Promise.all(found));
  const missing = Object.entries(programs).flatMap(([name, path]) => (path ? [] : [name]));
  if (missing.length > 0) throw new Error(`Not installed: ${missing.join(', ')}. Run ${INSTALL}.`);
  return programs as unknown as Programs;
}

/** Install missing programs: packages of Debian, and the others by Go. Throws an error with the command to run if that fails. */
export async function installPrograms(onStep: (text: string) => void): Promise<void> {
  const missing: string[] = [];
  for (const name of packages) if (!(await findPackage(name))) missing.push(name);
  if (missing.length > 0) await installPackages(missing, onStep);
  for (const program of Object.values(goPrograms)) if (!(await findGoProgram(program))) await build(program, onStep);
}

async function installPackages(names: string[], onStep: (text: string) => void): Promise<void> {
  const args = ['install', '--yes', '--no-install-recommends', ...names];
  const hint = `Install ${names.join(' and ')}, on Debian by: sudo apt-get ${args.join(' ')}`;
  if (!isRoot()) throw new Error(`${hint}. Then run ${INSTALL} again.`);
  onStep(`Installing ${names.join(', ')}`);
  const { code, output } = await run('apt-get', args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeoutMs: 600_000,
  });
  if (code !== 0) throw new Error(`${hint}. apt-get failed: ${lastLines(output)}`);
}

async function build(program: GoProgram, onStep: (text: string) => void): Promise<void> {
  const { title, module, version, path } = program;
  if ((await run('go', ['version'])).code !== 0)
    throw new Error(`${title} is built with Go. Install Go, then run ${INSTALL} again.`);
  const folder = folderOf(program);
  await mkdir(folder, { recursive: true });
  const startedAt = Date.now();
  const report = () => onStep(`Building ${title} with Go (minutes, once): ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  report();
  const timer = setInterval(report, 15_000);
  const { code, output } = await run('go', ['install', `${module}/${path}@${version}`], {
    env: { ...process.env, GOBIN: folder },
    timeoutMs: 30 * 60_000,
  }).finally(() => clearInterval(timer));
  if (code !== 0) throw new Error(`Go failed to build ${module}/${path}@${version}: ${lastLines(output)}`);
}
