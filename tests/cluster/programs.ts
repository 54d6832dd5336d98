import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, isRoot } from '../../start/servers/folders.ts';
import { lastLines, run } from '../../start/servers/run.ts';

/** The programs of a cluster that npm does not install. */
export interface Programs {
  haproxy: string;
  pgbouncer: string;
  temporalServer: string;
  /** Creates and updates the tables of Temporal. */
  temporalSchema: string;
}

const VERSION = 'v1.29.1';
const INSTALL = 'npm run cluster:install';
const folder = () => join(cacheFolder(), `temporal-server-${VERSION}`);
const packages = ['haproxy', 'pgbouncer'] as const;
/** Package in the module of Temporal's server, by the program that Go installs. */
const modules = { server: 'cmd/server', sql: 'cmd/tools/sql' } as const;

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
const findModule = (name: string) => found(join(folder(), name));

/** Find the programs. Throws an error that names the missing ones and the command that installs them. */
export async function findPrograms(): Promise<Programs> {
  const [haproxy, pgbouncer, temporalServer, temporalSchema] = await Promise.all([
    ...packages.map(findPackage),
    ...Object.keys(modules).map(findModule),
  ]);
  const programs = { haproxy, pgbouncer, temporalServer, temporalSchema };
  const missing = Object.entries(programs).flatMap(([name, path]) => (path ? [] : [name]));
  if (missing.length > 0) throw new Error(`Not installed: ${missing.join(', ')}. Run ${INSTALL}.`);
  return programs as Programs;
}

/** Install missing programs: packages of Debian, and Temporal's server by Go. Throws an error with the command to run if that fails. */
export async function installPrograms(onStep: (text: string) => void): Promise<void> {
  const missing: string[] = [];
  for (const name of packages) if (!(await findPackage(name))) missing.push(name);
  if (missing.length > 0) await installPackages(missing, onStep);
  await mkdir(folder(), { recursive: true });
  for (const [name, path] of Object.entries(modules)) if (!(await findModule(name))) await installModule(path, onStep);
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

async function installModule(path: string, onStep: (text: string) => void): Promise<void> {
  if ((await run('go', ['version'])).code !== 0)
    throw new Error(`Temporal's server is built with Go. Install Go, then run ${INSTALL} again.`);
  const startedAt = Date.now();
  const report = () =>
    onStep(`Building Temporal's ${path} with Go (minutes, once): ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  report();
  const timer = setInterval(report, 15_000);
  const { code, output } = await run('go', ['install', `go.temporal.io/server/${path}@${VERSION}`], {
    env: { ...process.env, GOBIN: folder() },
    timeoutMs: 30 * 60_000,
  }).finally(() => clearInterval(timer));
  if (code !== 0) throw new Error(`Go failed to build go.temporal.io/server/${path}@${VERSION}: ${lastLines(output)}`);
}
