import { singleProducts } from './enrichment.ts';
import { runJob } from './jobs.ts';
import { memoryOf } from './memory.ts';
import type { Line } from './report.ts';
import { each } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const ITEMS_PER_JOB = 5_000;
const JOBS = 10;

/** The worker's resident memory after each of several large jobs. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const productIds = await singleProducts(bench, 'slow', bench.of(ITEMS_PER_JOB));
  const body = JSON.stringify({ productIds, modelType: 'budget-v1', websearch: false });
  const job = { organization: 'slow', path: 'product-enrichment-jobs', body, count: productIds.length };
  const sizes: number[] = [];
  for (let done = 0; done < JOBS; done += 1) {
    await runJob(bench, job);
    const { worker } = await memoryOf({ worker: bench.processes.worker });
    sizes.push(worker);
    note(`${((done + 1) * job.count).toLocaleString('en')} items: the worker has ${worker.toFixed(0)} MB`);
  }
  // The first job warms up; growth is what the last jobs add.
  const [middle, last] = [sizes.slice(JOBS / 2 - 2, JOBS / 2 + 1), sizes.slice(-3)].map(median);
  const pairs = { ours: [last!], peer: [middle!] };
  return [
    {
      ...{ name: `worker's memory at ${(JOBS * job.count).toLocaleString('en')} items`, unit: 'MB', pairs },
      ...{ peer: 'at half of them (medians after three jobs)', values: each(pairs, (end, half) => half / end), atLeast: 0.9 },
    },
  ];
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

export const workerMemory: Part = { organizations: ['slow'], measure };
