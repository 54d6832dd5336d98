import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, web } from './files.ts';

/** Folders without sources, and hidden ones. */
const excluded = /^(?:dist|node_modules|\..*)$/;
/** Every build depends on these too, and on the folder of shared modules. */
const files = [join(web, 'tsconfig.json'), join(root, 'schema', 'api.graphql'), join(root, 'package-lock.json')];
const shared = join(web, 'shared');

/** A hash of everything that the build of a page depends on. */
export async function fingerprintOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of [...files, ...(await filesIn(shared)), ...(await filesIn(folder))])
    hash.update(`${file.slice(root.length)}\0`).update(await readFile(file));
  return hash.digest('hex');
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => !excluded.test(name));
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    }),
  );
  return found.flat().sort();
}
