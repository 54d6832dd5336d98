import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/npm.ts';
import { startProcess } from '../support/processes.ts';

const histories = readdirSync(join(import.meta.dirname, 'histories'));

interface Results {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  scenarios: Record<string, any>;
  replays: Record<string, string>;
  tampered: Record<string, string>;
}

let results: Results;
beforeAll(async () => {
  const { addresses } = await startProcess('tests/workflows/main.ts', [], {
    TEST_TEMPORAL_ADDRESS: process.env.TEST_TEMPORAL_ADDRESS!,
  });
  results = addresses as unknown as Results;
});

test('items are handed out in order, across pages, and the job is finished once', () => {
  expect(results.scenarios.order).toEqual([...Array.from({ length: 120 }, (_, n) => `item-${n}`), 'finished']);
});

test('the concurrency of the kind is reached and never exceeded', () => {
  expect(results.scenarios.width).toBe(7);
});

test('the concurrency grows while the provider is slow, up to its limit', () => {
  // A busy machine may end the growth early.
  expect(results.scenarios.slow).toBeGreaterThan(2);
  expect(results.scenarios.slow).toBeLessThanOrEqual(6);
});

test('a test run plays three repeats at a time, and one while its organization crowds the worker', () => {
  expect(results.scenarios.crowdedTests).toEqual({ roomy: 3, crowded: 1 });
});

test('a rate limit of the provider halves the concurrency, and no item fails or runs twice', () => {
  expect(results.scenarios.throttled.attempts).toBe(24 + 8);
  expect(results.scenarios.throttled.most).toBeLessThanOrEqual(4);
});

test('an item that the database interrupts is repeated until it ends', () => {
  expect(results.scenarios.interrupted).toEqual(Array(13).fill('attempt'));
});

test('a resumed job continues at once, although an earlier item is still running', () => {
  expect(results.scenarios.resumed.sort()).toEqual(['item-0', 'item-1', 'item-2', 'item-3']);
});

test('a job whose start is sent twice processes each item once', () => {
  expect(results.scenarios.resumedAtStart).toEqual(['item-0', 'item-1']);
});

test('a paused job does not wait for a throttled item, which stays open', () => {
  expect(results.scenarios.pausedWhileThrottled).toEqual(['throttled', 'finished']);
});

test('items of a later phase wait for those of the earlier one', () => {
  expect(results.scenarios.phases).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1]);
});

test('a stop finishes running items and skips the rest', () => {
  expect(results.scenarios.stopped).toEqual({
    log: ['item-0', 'item-1', 'item-2', 'item-3'],
    progress: { finished: 1, inProgress: 3, stopping: true },
    status: 'stopped',
  });
});

test('a pause finishes running items, and a new run continues with the next one', () => {
  expect(results.scenarios.paused).toEqual([
    ...['item-0', 'item-1', 'finished'],
    ...['item-2', 'item-3', 'item-4', 'item-5', 'finished'],
  ]);
});

test('a stop cancels retries: waiting items fail immediately, and running items finish', () => {
  expect(results.scenarios.stoppedWaiting).toEqual({
    log: ['item-0', 'item-1'],
    failed: { 'item-0': 'Job was stopped by user' },
  });
});

test('an item fails after five attempts with a readable message, and others continue', () => {
  expect(results.scenarios.failing).toEqual({
    attempts: { 'item-0': 1, 'item-1': 5, 'item-2': 5, 'item-3': 3 },
    failed: {
      'item-1': 'The model provider could not answer: models.example answered 503',
      'item-2': 'The item could not be processed. Please try again.',
    },
  });
});

test('the workflow waits while the database is down', () => {
  expect(results.scenarios.databaseAway).toEqual({
    calls: { beginJob: 3, openItems: 4, failItem: 3, finishJob: 3 },
    status: 'completed_with_errors',
  });
});

test('operators see the names of items, and the counts as the result', () => {
  const result = { status: 'completed', total: 2, succeeded: 2, failed: 0, errors: [] };
  expect(results.scenarios.shown).toEqual({ result, summaries: ['SKU-0', 'SKU-1'] });
});

test('the workflow of a job fails when all its items failed', () => {
  const errors = [{ message: 'Insufficient product data', items: 3 }];
  expect(results.scenarios.allFailed).toEqual({
    message: 'All 3 items failed: Insufficient product data',
    details: [{ status: 'completed_with_errors', total: 3, succeeded: 0, failed: 3, errors }],
  });
});

test('a finished job is not processed again', () => {
  expect(results.scenarios.closed).toEqual(['finished']);
});

test('a long job continues as new, keeps its counters and processes each item once', () => {
  expect(results.scenarios.long).toMatchObject({
    // An item takes three history events at least.
    runs: 2,
    distinct: 3_400,
    most: 1,
    counted: { finished: 3_400, inProgress: 0, stopping: false },
    status: 'completed',
  });
});

test('a source runs the step that the previous one names, until one names none', () => {
  const steps = ['discoverPages', 'crawlPage', 'crawlPage', 'chunkSource', 'embedChunks', 'publishChunks'];
  expect(results.scenarios.indexed).toEqual(steps);
});

test('a source fails after ten attempts of a step, with a readable message', () => {
  const attempts = Array.from({ length: 10 }, () => 'embedChunks');
  expect(results.scenarios.sourceFailing).toEqual([
    ...attempts,
    'The model provider could not answer: models.example answered 503',
  ]);
});

test('items of a later phase wait for one of an earlier phase that a run leaves open', () => {
  expect(results.scenarios.long).toMatchObject({ runs: 2, log: ['variant', 'parent', 'parent'] });
});

test('items of a later phase are processed in the run of a job that is resumed', () => {
  expect(results.scenarios.resumedPhases).toEqual({ runs: 1, last: 'item-2' });
});

test('the end of a source that fails tells whether its run has begun', () => {
  expect(results.scenarios.sourceEnds).toEqual([false, true]);
});

test('the workflows replay recorded histories', () => {
  expect(results.replays).toEqual(Object.fromEntries(histories.map((file) => [file, 'replayed'])));
});

test('every workflow has a recorded history', () => {
  const recorded = histories.map((file) => file.replace(/-\d.*/, ''));
  const workflows = readFileSync(join(root, 'workflows', 'workflows.ts'), 'utf8').matchAll(/export \{ (\w+) \}/g);
  expect([...new Set(recorded)].sort()).toEqual([...workflows].map(([, name]) => name).sort());
});

test('the recorded histories detect a diverging workflow', () => {
  expect(new Set(Object.values(results.tampered))).toEqual(new Set(['DeterminismViolationError']));
});
