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

/**
 * Arguments of Jest for `npm test`, which leaves out the tests that need minutes of a browser, of faults, or of packaging. One flow of the
 * dashboard and the widget remains.
 */
export const everyday = ['--testPathIgnorePatterns', '/tests/(faults|start|deploy)/', '/tests/browser/(?!smoke\\.)'];

/** Folders whose tests start the product in their own way, or read only the source. */
const APART = /^tests\/(start|structure)\//;

/** The test files that call the shared system, and start no processes of the product. */
function systemTests(): string[] {
  return sources.filter((file) => {
    if (!file.endsWith('.test.ts') || APART.test(file)) return false;
    const reached = reach(file);
    return !reached.has('tests/support/processes.ts') && [...reached].some((each) => /TEST_(SITE_)?URL/.test(textOf(each)));
  });
}

function reach(file: string, reached = new Set<string>()): Set<string> {
  reached.add(file);
  for (const { target, own, typeOnly } of importsOf(file))
    if (own && !typeOnly && target.startsWith('tests/') && !reached.has(target)) reach(target, reached);
  return reached;
}
