import { startProcess } from '../support/processes.ts';

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
}, 240_000);

test('items are handed out in order, across pages, and the job is finished once', () => {
  expect(results.scenarios.order).toEqual([...Array.from({ length: 120 }, (_, n) => `item-${n}`), 'finished']);
});

test('never more items are in hand than the kind allows, and not fewer', () => {
  expect(results.scenarios.width).toBe(7);
});

test('items of a later phase wait for those of the earlier one', () => {
  expect(results.scenarios.phases).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1]);
});

test('a stop finishes what is in hand and leaves the rest', () => {
  expect(results.scenarios.stopped).toEqual({
    log: ['item-0', 'item-1', 'item-2', 'item-3'],
    progress: { finished: 1, inHand: 3, stopping: true },
    status: 'stopped',
  });
});

test('a stop makes no further attempts: what waits for one fails at once, what is in hand is finished', () => {
  expect(results.scenarios.stoppedWaiting).toEqual({
    log: ['item-0', 'item-1'],
    failed: { 'item-0': 'Job was stopped by user' },
  });
});

test('an item is failed after five attempts, with what a person may read; the others go on', () => {
  expect(results.scenarios.failing).toEqual({
    attempts: { 'item-0': 1, 'item-1': 5, 'item-2': 5, 'item-3': 3 },
    failed: {
      'item-1': 'The model provider could not answer: models.example answered 503',
      'item-2': 'The item could not be processed. Please try again.',
    },
  });
});

test('a database that is away is waited for', () => {
  expect(results.scenarios.databaseAway).toEqual({
    calls: { beginJob: 3, openItems: 4, failItem: 3, finishJob: 3 },
    status: 'completed_with_errors',
  });
});

test('a job that has ended is not worked on again', () => {
  expect(results.scenarios.closed).toEqual(['finished']);
});

test('a long job begins its history anew, keeps its count and hands out each item once', () => {
  expect(results.scenarios.long).toEqual({
    runs: 3,
    distinct: 2_500,
    most: 1,
    counted: { finished: 2_500, inHand: 0, stopping: false },
    status: 'completed',
  });
});

test('the workflow continues what earlier versions began', () => {
  expect(results.replays).toEqual({ 'completed.json': 'replayed', 'failing.json': 'replayed', 'stopped.json': 'replayed' });
});

test('a workflow that does something else is caught by the recorded histories', () => {
  expect(new Set(Object.values(results.tampered))).toEqual(new Set(['DeterminismViolationError']));
});
