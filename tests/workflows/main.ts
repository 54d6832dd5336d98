import { readdir, readFile } from 'node:fs/promises';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { openBench } from './bench.ts';
import { scenarios } from './scenarios.ts';

const folder = new URL('histories/', import.meta.url);

/** Temporal's worker does not run inside jest, so this process runs the scenarios and replays, and reports to the test. */
const bench = await openBench();
process.send?.({
  ready: true,
  addresses: { scenarios: await runScenarios(), replays: await replay(), tampered: await replay(tamper) },
});
await bench.close();

async function runScenarios(): Promise<Record<string, unknown>> {
  const entries = Object.entries(scenarios).map(async ([name, scenario]) => [name, await scenario(bench).catch(String)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** By recorded history: `replayed`, or the error if the current workflow diverges. `npm run record` writes histories. */
async function replay(change = (text: string) => text): Promise<Record<string, string>> {
  const results: Record<string, string> = {};
  // One worker replays all histories.
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: bench.workflowBundle }, histories(change)))
    results[workflowId] = error?.name ?? 'replayed';
  return results;
}

async function* histories(change: (text: string) => string) {
  for (const workflowId of await readdir(folder)) {
    const text = change(await readFile(new URL(workflowId, folder), 'utf8'));
    yield { workflowId, history: proto.temporal.api.history.v1.History.fromObject(JSON.parse(text)) };
  }
}

/** The history of a workflow with other activities. */
function tamper(text: string): string {
  return text.replaceAll(/("activityType": \{\s*"name": )"\w+"/g, '$1"other"');
}
