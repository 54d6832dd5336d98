import { flushCompileCache } from 'node:module';
import { workflowBundle } from '../workflows/bundle.ts';
import { describeError } from './process.ts';

/**
 * Fills the caches of compiled sources and workflows, so that later starts need neither the compiler nor permission to write. Importing
 * an entry point does not start its process.
 */
try {
  await Promise.all([import('./gateway.ts'), import('./product.ts'), import('./federation.ts'), import('./subgraph.ts')]);
  await Promise.all([
    import('./worker.ts'),
    import('./traces.ts'),
    import('./local-database.ts'),
    import('./command.ts'),
    workflowBundle(),
  ]);
  flushCompileCache();
  process.stderr.write('The caches are warm\n');
} catch (error) {
  process.stderr.write(`warm: ${describeError(error)}\n`);
  process.exitCode = 1;
}
