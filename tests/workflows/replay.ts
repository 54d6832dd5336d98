import { readFile } from 'node:fs/promises';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../workflows/workflow-bundle.ts';

/** Replays histories (JSON from the Temporal UI) with the current workflow code and reports those that diverge. */
const files = process.argv.slice(2);
if (files.length === 0) {
  process.stderr.write('Usage: npm run -s replay -- history.json …\n');
  process.exit(1);
}
const bundle = await workflowBundle();
for (const file of files) {
  const history = proto.temporal.api.history.v1.History.fromObject(JSON.parse(await readFile(file, 'utf8')));
  await Worker.runReplayHistory({ workflowBundle: bundle }, history).then(
    () => process.stdout.write(`${file}: replayed\n`),
    (error: Error) => {
      process.stdout.write(`${file}: ${error.message}\n`);
      process.exitCode = 1;
    },
  );
}
