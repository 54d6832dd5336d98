import { rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';
import type { Plugin } from 'rolldown';

const root = join(import.meta.dirname, '..');

export const bundleFolder = join(root, 'dist');

/** The processes of the image. Importing one does not start it. */
const processes = ['gateway', 'subgraph', 'worker'];
/** The commands of the image. They run when they are imported. */
export const commands = ['migrate', 'key', 'organization', 'login'];

/**
 * Bundle the sources of the processes and commands into a few files, with which they start in less time and memory. Only the image runs them.
 * Packages are not bundled: some have native code, or start threads from their own files.
 */
export async function buildBundle(): Promise<void> {
  const { rolldown } = await import('rolldown');
  await rm(bundleFolder, { recursive: true, force: true });
  await using bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries([...processes, ...commands].map((name) => [name, join('start', `${name}.ts`)])),
    platform: 'node',
    // The package `compiled-gateway` is built for others; this repository runs its sources.
    resolve: { conditionNames: ['compiled-gateway-source', 'node', 'import', 'default'] },
    external: (id) => isBuiltin(id) || /^(?!compiled-gateway)[@\w]/.test(id),
    plugins: [compiler],
    onLog: () => {},
  });
  await bundle.write({
    dir: bundleFolder,
    format: 'esm',
    keepNames: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[hash].mjs',
  });
}

/** Compiles the sources as the loader does, because MikroORM and type-graphql need legacy decorators. */
const compiler: Plugin = {
  name: 'typescript',
  load: {
    filter: { id: /\.ts$/ },
    async handler(id) {
      const { code } = await transformFile(id, { sourceMaps: false });
      return { code: locateFiles(code, relative(root, id)), moduleType: 'js' };
    },
  },
};

/** Make a module locate files relative to its path below the root, not relative to its bundle. */
export const locateFiles = (code: string, path: string): string =>
  code
    .replaceAll('import.meta.url', `new URL(${JSON.stringify(`../${path}`)}, import.meta.url).href`)
    .replaceAll(
      'import.meta.dirname',
      `process.getBuiltinModule('node:path').join(import.meta.dirname, ${JSON.stringify(`../${dirname(path)}`)})`,
    );
