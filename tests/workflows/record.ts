import { readFile, writeFile } from 'node:fs/promises';
import { pauseSignal, resumeSignal, stopSignal } from '../../workflows/contract.ts';
import { type Bench, type History, openBench } from './bench.ts';
import { failure } from './scenarios/support.ts';

/** Records a history of each run of each workflow, named by the version of the product. Needs `TEST_TEMPORAL_ADDRESS`. */
const folder = new URL('histories/', import.meta.url);
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
const bench = await openBench();
await Promise.all([
  write('runJob', await recordJob(bench)),
  write('indexSource', await recordSource(bench)),
  recordSweep(bench),
  write('runTests', await recordTests(bench)),
]);
await bench.close();

/** Two runs: items are throttled, interrupted and fail, and a pause ends the first run; a stop ends the second one. */
async function recordJob({ run, histories }: Bench): Promise<History[]> {
  const [begun, ended] = [new Set<string>(), new Set<string>()];
  const { workflowId } = await run(
    9,
    (job) => ({
      openItems: async (ref, after, limit) =>
        Array.from({ length: 9 }, (_, turn) => ({
          ...ref,
          itemId: `item-${turn}`,
          turn,
          phase: Number(turn > 5),
          name: `SKU-${turn}`,
        }))
          .filter(({ turn, itemId }) => turn > after && !ended.has(itemId))
          .slice(0, limit),
      async processItem({ itemId }) {
        const isFirst = !begun.has(itemId);
        begun.add(itemId);
        if (itemId === 'item-0' && isFirst)
          return { mayGrow: false, throttled: { reason: 'models.example answered 429', waitMs: 10 } };
        if (itemId === 'item-1' && isFirst) return { mayGrow: false, interrupted: { waitMs: 10 } };
        if (itemId === 'item-2') throw failure('ProviderFault', 'models.example answered 503');
        if (itemId === 'item-3') await job().signal(pauseSignal);
        // The job is paused, and resumed before the items in progress have ended.
        if (itemId === 'item-5') {
          await job().signal(pauseSignal);
          await job().signal(resumeSignal);
        }
        if (itemId === 'item-7') await job().signal(stopSignal);
        ended.add(itemId);
        return { mayGrow: true };
      },
      failItem: async ({ itemId }) => void ended.add(itemId),
      finishJob: async () => (ended.has('item-7') ? 'stopped' : 'processing'),
    }),
    2,
  );
  return histories(workflowId);
}

/** A source whose crawl waits, and whose embedding fails. */
async function recordSource({ index, histories }: Bench): Promise<History[]> {
  const { workflowId } = await index({
    beginSource: async () => ({ step: 'discoverPages' }),
    discoverPages: async () => ({ step: 'crawlPage' }),
    crawlPage: async () => ({ step: 'chunkSource', waitMs: 20 }),
    chunkSource: async () => ({ step: 'embedChunks' }),
    embedChunks: async () => {
      throw failure('ProviderFault', 'models.example answered 503');
    },
  });
  return histories(workflowId);
}

/** Two runs: a repeat fails in the first one, and the second one finds no more. */
async function recordTests({ tests, histories }: Bench): Promise<History[]> {
  let finished = 0;
  const { workflowId } = await tests({
    beginTests: async (_, width) => width,
    openTests: async (run, after) =>
      [1, 2]
        .filter((turn) => finished === 0 && turn > after)
        .map((turn) => ({ ...run, resultId: `result-${turn}`, turn, name: `Case ${turn}` })),
    async runTest({ turn }) {
      if (turn === 2) throw failure('ProviderRefusal', 'models.example answered 400');
      return { mayGrow: true, crowded: false };
    },
    failTest: async () => {},
    finishTests: async () => ++finished === 2,
  });
  return histories(workflowId);
}

async function recordSweep({ sweep, histories }: Bench): Promise<void> {
  const { workflowId } = await sweep('evidence');
  await write('sweep', await histories(workflowId));
}

async function write(workflowType: string, histories: History[]): Promise<void> {
  // The identity of a worker has the name of the machine, and stack traces its paths.
  const nameless = (key: string, value: unknown) => (key === 'stackTrace' ? '' : value);
  for (const [index, history] of histories.entries()) {
    const text = JSON.stringify(history, nameless, 1).replaceAll(/\d+@[\w.-]+/g, 'worker');
    const file = `${workflowType}-${index + 1}.v${version}.json`;
    await writeFile(new URL(file, folder), `${text}\n`);
    process.stdout.write(`${file}\n`);
  }
}
