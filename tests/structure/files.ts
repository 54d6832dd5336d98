import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every source file of the product, relative to the root. */
export const sources = ['bench', 'gateway', 'rest-adapter', 'schema', 'server', 'start', 'subgraphs', 'tests', 'workflows'].flatMap(
  (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => /\.(ts|mjs)$/.test(path)),
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
    const own = written.startsWith('.');
    const target = own ? normalize(join(dirname(file), written)) : packageOf(written);
    return { target, own, typeOnly: type !== undefined };
  });
}

const packageOf = (specifier: string) =>
  specifier.startsWith('node:') ? specifier : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
