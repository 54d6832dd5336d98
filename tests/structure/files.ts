import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every source file of the product, relative to the root. */
export const sources = [
  'bench',
  'gateway',
  'platform',
  'rest-adapter',
  'schema',
  'server',
  'start',
  'subgraphs',
  'tests',
  'workflows',
].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => /\.(ts|mjs)$/.test(path) && !path.startsWith('gateway/dist/')),
);

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

export interface Import {
  /** A path relative to the root, or a package name. */
  target: string;
  own: boolean;
  /** True for type-only imports, which are erased. */
  typeOnly: boolean;
}

// Matches multi-line type imports and dynamic imports.
const statement = /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g;

export function importsOf(file: string): Import[] {
  return [...textOf(file).matchAll(statement)].map(([, type, named, dynamic]) => {
    const written = (named ?? dynamic)!;
    const own = written.startsWith('.') || written in gatewayFiles;
    const path = gatewayFiles[written] ?? join(dirname(file), written);
    return { target: own ? normalize(path) : packageOf(written), own, typeOnly: type !== undefined };
  });
}

/** The files behind the names by which the gateway's package is imported. */
const { exports: subpaths } = JSON.parse(textOf('gateway/package.json')) as {
  exports: Record<string, { 'compiled-gateway-source'?: string }>;
};
const gatewayFiles: Record<string, string> = Object.fromEntries(
  Object.entries(subpaths).flatMap(([subpath, { 'compiled-gateway-source': source }]) =>
    source ? [[join('compiled-gateway', subpath), join('gateway', source)]] : [],
  ),
);

const packageOf = (specifier: string) =>
  specifier.startsWith('node:') ? specifier : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
