import { readdir } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { dirname, join, parse } from 'node:path';
import { workflowBundle } from '../workflows/bundle.ts';
import { bundleOf } from './bundle/current.mjs';
import { commands } from './bundle/entries.ts';
import { describeError } from './process/run.ts';

/**
 * Fills the caches of compiled sources and workflows, so that later starts need neither the compiler nor permission to write. Importing
 * an entry point does not start its process.
 */
try {
  const bundle = bundleOf('start/gateway.ts');
  if (bundle) await importAll(dirname(bundle));
  else {
    await Promise.all([
      import('./gateway.ts'),
      import('./gateway/product.ts'),
      import('./gateway/federation.ts'),
      import('./subgraph.ts'),
    ]);
    await Promise.all([import('./worker.ts'), import('./telemetry/traces.ts')]);
  }
  await Promise.all([import('./operator/local-database.ts'), import('./operator/command.ts'), workflowBundle()]);
  flushCompileCache();
  process.stderr.write('The caches are warm\n');
} catch (error) {
  process.stderr.write(`warm: ${describeError(error)}\n`);
  process.exitCode = 1;
}

/** Import the bundles, except those of commands, which run when they are imported. */
async function importAll(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => !commands.includes(parse(name).name));
  await Promise.all(files.map((name) => import(join(folder, name))));
}
