import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { transformFile } from '@swc/core';
import type { Plugin } from 'rolldown';
import { locatePaths } from './paths.ts';

export const root = join(import.meta.dirname, '..', '..');
const gateway: { name: string; exports: Record<string, Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'gateway', 'package.json'), 'utf8'),
);

/** Reads the modules of a bundle and remembers the files of this repository. */
export class SourceReader {
  readonly #paths = new Set<string>();

  readonly plugin: Plugin = {
    name: 'typescript',
    resolveId: {
      // The package `compiled-gateway` is built for others; this repository runs its sources.
      filter: { id: /^compiled-gateway/ },
      handler: (id) => join(root, 'gateway', gateway.exports[`.${id.slice(gateway.name.length)}`]!['compiled-gateway-source']!),
    },
    load: {
      filter: { id: { include: /\.ts$/, exclude: /node_modules/ } },
      handler: async (id) => {
        const path = relative(root, id);
        this.#paths.add(path);
        const { code } = await transformFile(id, { sourceMaps: false });
        return { code: locatePaths(code, path), moduleType: 'js' };
      },
    },
    transform: {
      filter: { id: /node_modules/, code: /import\.meta|__dirname|__filename/ },
      handler: (code, id) => locatePaths(code, relative(root, id.split('?', 1)[0]!)),
    },
  };

  paths(): string[] {
    return [...this.#paths].sort();
  }

  async changedSince(time: number): Promise<boolean> {
    const files = await Promise.all(this.paths().map((path) => stat(join(root, path))));
    // Some tools restore the time of the modification when they replace a file.
    return files.some(({ mtimeMs, ctimeMs }) => Math.max(mtimeMs, ctimeMs) > time);
  }
}
