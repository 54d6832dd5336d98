import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { buildPages } from '../start/page-builds.ts';
import { Closers } from '../start/process/closers.ts';
import { staleFiles } from '../start/schema.ts';
import { stopOnSignal } from '../start/servers/signals.ts';
import { readArguments, slowFiles } from './arguments.ts';
import { type Count, countTests, slowest, type TestFile } from './jest-result.ts';
import { checkOpenApi } from './openapi/schemathesis.ts';
import { jest } from './runner/command.ts';
import { createDatabase } from './support/database.ts';
import { startBroker } from './support/hosted/broker.ts';
import { startProvider } from './support/provider.ts';
import { startSystem } from './support/system.ts';
import { createTemplate } from './support/template.ts';

/** Above this number of failed files the product is at fault, not the machine. */
const MAX_REPEATED = 4;
/** Test files at once in a run of all tests. It waits more than `npm test`: for processes that start, faults, time limits and pages. */
const WORKERS_OF_ALL = 5;
const root = join(import.meta.dirname, '..');

const { only, files, all, system: running } = readArguments(process.argv.slice(2));
const bin = (name: string) => join(import.meta.dirname, '..', 'node_modules', '.bin', name);
/** Check the types of a project. A single thread needs less processor time in all than several. */
const checkTypes = (project: string) => run(bin('tsc'), ['-p', project, '--singleThreaded']);

/** Checks that run without the product; each counts as one test. */
const checks: Record<string, () => Promise<boolean>> = {
  types: () => checkTypes('.'),
  pages: async () => {
    const generated = await run(bin('graphql-codegen'), ['--config', join('web', 'dashboard', 'codegen.ts')]);
    return generated && (await checkTypes('web')) && checkTypes(join('web', 'widget'));
  },
  lint: () => run(bin('biome'), ['check', '--error-on-warnings', '.']),
  unused: () => run(bin('knip'), []),
  schema: async () => {
    const stale = await staleFiles();
    if (stale.length > 0) process.stderr.write(`Stale: ${stale.join(', ')}. Run npm run schema.\n`);
    return stale.length === 0;
  },
  // A full run includes these tests; only `npm run check` selects them explicitly.
  structure: () => run(process.execPath, [...jest, 'tests/structure']),
};

const closers = new Closers();
const programs = new Set<ChildProcess>();
let isEnding = false;
stopOnSignal(async () => {
  isEnding = true;
  for (const { pid } of programs) process.kill(-pid!, 'SIGTERM');
  await closers.closeAll();
});

const total: Count = { passed: 0, failed: 0 };
const wanted = (name: string) =>
  files.length === 0 && (only ? only.includes(name) : name !== 'structure' && (all || name !== 'openapi'));
const count = (name: string, passed: boolean) => {
  process.stderr.write(`${passed ? 'ok' : 'FAILED'}  ${name}\n`);
  total[passed ? 'passed' : 'failed'] += 1;
};
const runChecks = async () => {
  for (const [name, check] of Object.entries(checks)) if (wanted(name)) count(name, await check());
};
const runTests = async (env: Record<string, string>) => {
  const { passed, failed } = await runTestFiles(env);
  total.passed += passed;
  total.failed += failed;
};
const runOnRunning = (env: Record<string, string>) =>
  withTemplate(env.TEST_DATABASE_URL!, (template) => runTests({ ...env, ...template }));
// These run concurrently, because each waits much of its time.
const runSystem = () => withSystem((env) => Promise.all([wanted('openapi') && checkDocuments(env), !only && runTests(env)]));
if (running) await runOnRunning(running);
else await Promise.all([runChecks(), (!only || wanted('openapi')) && runSystem()]);
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

/** Start real servers and one system. All tests share it, each with separate organizations. */
async function withSystem(work: (env: Record<string, string>) => Promise<unknown>): Promise<void> {
  const note = (text: string) => process.stderr.write(`${text}\n`);
  try {
    const servers = await closers.open(
      'servers',
      () => openServers(note),
      (each) => each.stop(),
    );
    const provider = await closers.open(
      'provider',
      () => startProvider(),
      (each) => each.close(),
    );
    // The gateway serves what is built when it starts.
    await buildPages(note);
    const template = await closers.open(
      'template',
      () => createTemplate(servers.databaseUrl),
      (each) => each.drop(),
    );
    const beside = { beside: servers.databaseUrl, template: template.name };
    const database = await closers.open(
      'database',
      () => createDatabase(beside),
      (each) => each.drop(),
    );
    const { temporalAddress } = servers;
    const options = { databaseUrl: database.url, temporalAddress, provider: provider.url };
    const system = await closers.open(
      'system',
      () => startSystem(options),
      (each) => each.stop(),
    );
    const broker = await closers.open('gateways', startBroker, (each) => each.stop());
    await work({
      TEST_GATEWAYS: broker.url,
      TEST_DATABASE_URL: database.url,
      TEST_TEMPLATE: template.name,
      TEST_TEMPORAL_ADDRESS: temporalAddress,
      TEST_PROVIDER: provider.url,
      TEST_URL: system.url,
      TEST_SITE_URL: system.siteUrl,
    });
  } finally {
    await closers.closeAll();
  }
}

/** Create a migrated database on the server of a running system, for the tests that need one of their own. */
async function withTemplate(databaseUrl: string, work: (env: Record<string, string>) => Promise<unknown>): Promise<void> {
  try {
    const template = await closers.open(
      'template',
      () => createTemplate(databaseUrl),
      (each) => each.drop(),
    );
    await work({ TEST_TEMPLATE: template.name });
  } finally {
    await closers.closeAll();
  }
}

/** Use the servers of `TEST_DATABASE_URL` and `TEST_TEMPORAL_ADDRESS`, or start new ones. */
async function openServers(note: (text: string) => void) {
  const { TEST_DATABASE_URL: databaseUrl, TEST_TEMPORAL_ADDRESS: temporalAddress } = process.env;
  if (databaseUrl && temporalAddress) return { databaseUrl, temporalAddress, stop: async () => {} };
  const { startServers } = await import('./support/servers.ts');
  return startServers(note);
}

/** Not counted if the check cannot run. */
async function checkDocuments({ TEST_URL, TEST_SITE_URL, TEST_DATABASE_URL }: Record<string, string>): Promise<void> {
  const target = { url: TEST_URL!, siteUrl: TEST_SITE_URL!, databaseUrl: TEST_DATABASE_URL! };
  const passed = await checkOpenApi(target, (text) => process.stderr.write(`${text}\n`));
  if (passed !== undefined) count('openapi', passed);
}

/**
 * Run the test files. In a run without named files, a few that fail run again without the others, because tests of kills and time limits can fail
 * on a busy machine. The output names the files that passed only then.
 */
async function runTestFiles(env: Record<string, string>): Promise<Count> {
  const first = await runJest(
    files.length > 0 || all
      ? [...files, ...(all ? ['--maxWorkers', String(WORKERS_OF_ALL)] : [])]
      : ['--testPathIgnorePatterns', ...slowFiles().map((file) => `/${file}$`)],
    env,
  );
  process.stderr.write(`\nSlowest files:\n${slowest(first, root)}\n`);
  const failed = first.filter(({ status }) => status === 'failed').map(({ name }) => name);
  if (files.length > 0 || failed.length === 0 || failed.length > MAX_REPEATED) return countTests(first);
  const second = await runJest(['--runInBand', '--runTestsByPath', ...failed], env);
  for (const { name, status } of second)
    if (status === 'passed') process.stderr.write(`UNSTABLE  ${relative(root, name)} failed beside other tests and passed alone\n`);
  const repeated = new Map(second.map((file) => [file.name, file]));
  return countTests(first.map((file) => repeated.get(file.name) ?? file));
}

/** Run Jest with these arguments. Resolves with the result of each file. */
async function runJest(args: string[], env: Record<string, string>): Promise<TestFile[]> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-graph-jest-'));
  const outputFile = join(folder, 'result.json');
  await run(process.execPath, [...jest, '--json', '--outputFile', outputFile, ...args], env);
  try {
    return JSON.parse(await readFile(outputFile, 'utf8')).testResults;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(command: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  return new Promise((resolve) => {
    // A process group of its own, which a signal ends with all its processes.
    const program = spawn(command, args, { stdio: ['ignore', 2, 2], env: { ...process.env, ...env }, detached: true });
    programs.add(program);
    program.once('exit', (code) => {
      programs.delete(program);
      // The signal handler exits; nothing must continue without the program.
      if (!isEnding) resolve(code === 0);
    });
  });
}
