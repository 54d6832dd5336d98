import { singleProducts } from './enrichment.ts';
import { heapOf } from './heap.ts';
import { runJob } from './jobs.ts';
import { memoryOf } from './memory.ts';
import type { Line } from './report.ts';
import { each } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const ITEMS_PER_JOB = 5_000;
const JOBS = 10;

/** The worker's largest memory after the jobs of the second half, beside that of the first half. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const productIds = await singleProducts(bench, 'slow', bench.of(ITEMS_PER_JOB));
  const body = JSON.stringify({ productIds, modelType: 'budget-v1', websearch: false });
  const job = { organization: 'slow', path: 'product-enrichment-jobs', body, count: productIds.length };
  const heaps: number[] = [];
  const resident: number[] = [];
  for (let done = 1; done <= JOBS; done += 1) {
    await runJob(bench, job);
    const { worker } = await memoryOf({ worker: bench.processes.worker });
    const heap = await heapOf(bench.workerOutput());
    heaps.push(heap);
    resident.push(worker);
    note(
      `${(done * job.count).toLocaleString('en')} items: ${worker.toFixed(0)} MB resident, ${heap.toFixed(0)} MB in the heaps after a collection`,
    );
  }
  const line = (name: string, sizes: readonly number[]): Line => {
    // The first job warms up. Single values vary by when V8 last collected.
    const pairs = { ours: [Math.max(...sizes.slice(JOBS / 2))], peer: [Math.max(...sizes.slice(1, JOBS / 2))] };
    const labels = { name: `${name} up to ${(JOBS * job.count).toLocaleString('en')} items`, peer: 'itself up to half of them' };
    return { ...labels, unit: 'MB', pairs, values: each(pairs, (end, start) => start / end), atLeast: 0.9 };
  };
  return [line('heaps of the worker', heaps), line('resident memory of the worker', resident)];
}

export const workerMemory: Part = { organizations: ['slow'], env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' }, measure };
