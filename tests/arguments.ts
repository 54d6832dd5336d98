import { longFiles } from './long-files.ts';
import seconds from './seconds.json' with { type: 'json' };
import { importsOf, sources, textOf } from './structure/files.ts';

/** Environment variables of the tests, by the options that name the addresses of a running system. */
const addresses = {
  url: 'TEST_URL',
  'site-url': 'TEST_SITE_URL',
  'database-url': 'TEST_DATABASE_URL',
  'temporal-address': 'TEST_TEMPORAL_ADDRESS',
  provider: 'TEST_PROVIDER',
} as const;
type Name = keyof typeof addresses;
const names = Object.keys(addresses) as Name[];

export interface Arguments {
  /** Names of the checks to run. */
  only?: string[];
  files: string[];
  /** Also run what only `npm run test:all` runs. */
  all: boolean;
  /** The environment of the tests of a running system, if its addresses are given. */
  system?: Record<string, string>;
}

/**
 * Read the arguments of `npm test` and `npm run test:all`; Jest gets all that are not named here. Throws an error when addresses of a running
 * system are missing.
 */
export function readArguments(given: string[]): Arguments {
  const values: Partial<Record<string, string>> = {};
  const files: string[] = [];
  const all = given.includes('--all');
  const args = given.filter((each) => each !== '--all');
  for (let at = 0; at < args.length; at += 1) {
    const name = args[at]!.replace(/^--/, '');
    if (name === args[at] || !['only', ...names].includes(name)) files.push(args[at]!);
    else values[name] = args[++at];
  }
  const { only, url } = values;
  if (url === undefined) return { only: only?.split(','), files, all };
  const missing = names.filter((name) => values[name] === undefined);
  if (missing.length > 0) throw new Error(`With --url, also name ${missing.map((name) => `--${name}`).join(', ')}`);
  const system = Object.fromEntries(names.map((name) => [addresses[name], values[name]!.replace(/\/$/, '')]));
  return { files: files.length > 0 ? files : systemTests(), all, system };
}

const testFiles = sources.filter((file) => file.endsWith('.test.ts'));
/** Whether a test starts processes of the product, directly or by the files that it imports. */
const startsProcesses = (file: string) => reach(file).has('tests/support/processes.ts');

/** Whether a test needs minutes of own processes, a browser, faults or packaging. */
const isHeavy = (file: string) => /^tests\/(browser|deploy|faults|start)\//.test(file) || startsProcesses(file);

/** One flow of the dashboard and the widget, for everybody. */
const SMOKE = 'tests/browser/smoke.test.ts';

/**
 * The test files that only `npm run test:all` runs. The others call the shared system or run in process, and take seconds. Throws an error when
 * a long file does not exist.
 */
export function slowFiles(): string[] {
  const unknown = [...longFiles, ...Object.keys(seconds)].filter((file) => !testFiles.includes(file));
  if (unknown.length > 0)
    throw new Error(`tests/long-files.ts or tests/seconds.json names ${unknown.join(', ')}, which do not exist`);
  return testFiles.filter((file) => file !== SMOKE && (isHeavy(file) || longFiles.includes(file)));
}

/** The test files that call the shared system, and start no processes of the product. */
const systemTests = (): string[] =>
  testFiles.filter(
    (file) =>
      !(/^tests\/(start|structure)\//.test(file) || startsProcesses(file)) &&
      [...reach(file)].some((each) => /TEST_(SITE_)?URL/.test(textOf(each))),
  );

function reach(file: string, reached = new Set<string>()): Set<string> {
  reached.add(file);
  for (const { target, own, typeOnly } of importsOf(file))
    if (own && !typeOnly && target.startsWith('tests/') && !reached.has(target)) reach(target, reached);
  return reached;
}
