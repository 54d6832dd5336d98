// Finds the bundle of a process. Plain JavaScript, because the loader of TypeScript imports it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Paths in the bundles are relative to their file, so this depth below the root is fixed. */
export const folder = join(root, 'node_modules', '.cache', 'bundle');
export const manifestFile = join(folder, 'manifest.json');

/** A hash of the sources, the compiler settings and the versions of the packages; undefined if one of them is missing. */
export function fingerprintOf(sources) {
  const hash = createHash('sha256');
  try {
    for (const path of ['package-lock.json', '.swcrc', ...sources]) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

/** The path of the bundle of an entry such as `start/gateway.ts`; undefined if there is none or if a source has changed since. */
export function bundleOf(entry) {
  try {
    const { fingerprint, sources, entries } = JSON.parse(readFileSync(manifestFile, 'utf8'));
    if (!entries[entry] || fingerprintOf(sources) !== fingerprint) return undefined;
    const path = join(folder, entries[entry]);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
