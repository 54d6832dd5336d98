import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..');

/** Arguments of Node that run Jest. Its processes inherit the loader for TypeScript. */
export const jest = [
  '--import',
  pathToFileURL(join(root, 'start', 'typescript.mjs')).href,
  '--disable-warning=ExperimentalWarning',
  join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
];
