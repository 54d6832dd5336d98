import { readdir } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { join, parse } from 'node:path';
import { workflowBundle } from '../workflows/workflow-bundle.ts';
import { bundleFolder, commands } from './bundle.ts';
import { describeError } from './process/run.ts';

/** Compiles the bundles of the image and its workflows, so that its processes need no permission to write. */
try {
  const files = (await readdir(bundleFolder)).filter((name) => !commands.includes(parse(name).name));
  await Promise.all([...files.map((name) => import(join(bundleFolder, name))), workflowBundle()]);
  flushCompileCache();
  process.stderr.write('The caches are warm\n');
} catch (error) {
  process.stderr.write(`warm: ${describeError(error)}\n`);
  process.exitCode = 1;
}
