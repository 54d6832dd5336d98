import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const sources = fileURLToPath(new URL('./', import.meta.url));
const cache = join(sources, '..', 'node_modules', '.cache', 'workflows');

/** The workflow code in one file. Reuses the file of an earlier start, because bundling takes seconds. */
export async function workflowBundle(): Promise<{ code: string }> {
  const file = join(cache, `${await fingerprint()}.js`);
  const cached = await readFile(file, 'utf8').catch(() => undefined);
  if (cached !== undefined) return { code: cached };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(sources, 'workflows.ts'),
    workflowInterceptorModules: [join(sources, 'tracing', 'interceptors.ts')],
  });
  // Without permission to write, the next start bundles again.
  await store(file, code).catch(() => {});
  return { code };
}

/** Changes with the SDK and with every file that workflow code may import (see `tests/structure/imports.test.ts`). */
async function fingerprint(): Promise<string> {
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
  const hash = createHash('sha256').update(version);
  const files = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();
  for (const name of files) hash.update(`\n${name}\n`).update(await readFile(join(sources, name)));
  return hash.digest('hex');
}

/** Write and rename, so that no process reads half a file. */
async function store(file: string, code: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const unfinished = `${file}-${process.pid}`;
  await writeFile(unfinished, code);
  await rename(unfinished, file);
}
