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

/**
 * By recorded history: `replayed`, or the error if the current workflow diverges. A history is the output of
 * `JSON.stringify(await handle.fetchHistory())`.
 */
async function replay(change = (text: string) => text): Promise<Record<string, string>> {
  const results: Record<string, string> = {};
  for (const name of (await readdir(folder)).sort()) {
    const text = change(await readFile(new URL(name, folder), 'utf8'));
    const history = proto.temporal.api.history.v1.History.fromObject(JSON.parse(text));
    results[name] = await Worker.runReplayHistory(
      { workflowBundle: bench.workflowBundle },
      history,
      'product-enrichment/recorded',
    ).then(
      () => 'replayed',
      (error: Error) => error.name,
    );
  }
  return results;
}

/** The history of a workflow with other activities. */
function tamper(text: string): string {
  return text.replaceAll('"finishJob"', '"endJob"').replaceAll('"embedChunks"', '"embedAll"');
}
