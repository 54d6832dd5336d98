import { writeFile } from 'node:fs/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { type Bench, openBench } from './bench.ts';
import { scenarios } from './scenarios.ts';
import { sweeps } from './sweeps.ts';

/** Scenarios that reach different branches of the workflows, by the names of their files. */
const recorded = {
  adaptive: scenarios.slow,
  interrupted: scenarios.interrupted,
  paused: scenarios.pausedWhileThrottled,
  throttled: scenarios.throttled,
  'source-failing': scenarios.sourceFailing,
  'source-indexed': scenarios.indexed,
};
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const folder = new URL('histories/', import.meta.url);
const day = new Date().toISOString().slice(0, 10);

/** Records histories of the current workflows beside those of earlier versions. Needs `TEST_TEMPORAL_ADDRESS`. */
const bench = await openBench();
await Promise.all([
  ...Object.entries(recorded).map(([name, scenario]) => recordScenario(name, scenario)),
  ...sweeps.map(async (name) => write(kebab(name), await bench.sweep(name))),
]);
await bench.close();

async function recordScenario(name: string, scenario: (bench: Bench) => Promise<unknown>): Promise<void> {
  const handles: Pick<WorkflowHandle, 'fetchHistory'>[] = [];
  const keep = <T extends Pick<WorkflowHandle, 'fetchHistory'>>(handle: T): T => {
    handles.push(handle);
    return handle;
  };
  const watched: Bench = {
    ...bench,
    run: async (...args) => keep(await bench.run(...args)),
    index: async (...args) => keep(await bench.index(...args)),
  };
  await scenario(watched);
  await write(name, handles[0]!);
}

async function write(name: string, handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<void> {
  // The identity of a worker has the name of the machine, and stack traces its paths.
  const nameless = (key: string, value: unknown) => (key === 'stackTrace' ? '' : value);
  const text = JSON.stringify(await handle.fetchHistory(), nameless, 2).replaceAll(/\d+@[\w.-]+/g, 'worker');
  const file = `${name}.${day}.json`;
  await writeFile(new URL(file, folder), `${text}\n`);
  process.stdout.write(`${file}\n`);
}
