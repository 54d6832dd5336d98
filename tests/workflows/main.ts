import { readdir, readFile, writeFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import { openBench } from './bench.ts';
import { scenarios } from './scenarios.ts';

/** Temporal's worker does not run inside jest, so this runs beside it: all scenarios and all recorded histories, results to the parent. */
const bench = await openBench();
const results: Record<string, unknown> = {};
await Promise.all(
  Object.entries(scenarios).map(async ([name, scenario]) => {
    results[name] = await scenario(bench).catch((error: unknown) => String(error));
  }),
);

console.log(JSON.stringify(results, null, 1));
await bench.close();
