import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import type { NextStep } from '../../subgraphs/agent/ingestion/work.ts';
import {
  type JobProgress,
  pauseSignal,
  progressQuery,
  resumeSignal,
  searchAttributes,
  stopSignal,
} from '../../workflows/contract.ts';
import type { JobActivities } from '../../workflows/job/activities.ts';
import type { Bench } from './bench.ts';

/** Fails like the real activities, without retry delays. */
const failure = (type: string, message: string) => ApplicationFailure.create({ type, message, nextRetryDelay: 10 });

/** Each scenario runs a job with fake activities and returns a log, which the tests check. */
export const scenarios = {
  async order({ run }: Bench) {
    const log: string[] = [];
    await run(120, () => ({
      processItem: async ({ itemId }) => void log.push(itemId),
      finishJob: async () => {
        log.push('finished');
        return 'completed';
      },
    }));
    return log;
  },

  async width({ run }: Bench) {
    let inHand = 0;
    let most = 0;
    const processItem: JobActivities['processItem'] = async () => {
      inHand += 1;
      most = Math.max(most, inHand);
      // All seven items wait for each other; an eighth concurrent item would be visible afterward.
      for (let waited = 0; most < 7 && waited < 10_000; waited += 20) await sleep(20);
      await sleep(50);
      inHand -= 1;
    };
    await run(60, () => ({ processItem }), 7);
    return most;
  },

  async slow({ run }: Bench) {
    const { most, processItem } = counted(1_200);
    const beginJob = async () => ({ concurrency: 2, limit: 6, open: true });
    await run(16, () => ({ beginJob, processItem: () => processItem().then(() => ({ mayGrow: true })) }));
    return most();
  },

  async throttled({ run }: Bench) {
    const attempts: Record<string, number> = {};
    const { most, processItem } = counted(100);
    await run(
      24,
      () => ({
        async processItem({ itemId }) {
          attempts[itemId] = (attempts[itemId] ?? 0) + 1;
          // The first eight items run at the same time.
          const isFirst = attempts[itemId] === 1 && Object.keys(attempts).length <= 8;
          if (isFirst) return { mayGrow: false, throttled: { reason: 'models.example answered 429', waitMs: 300 } };
          await processItem();
          return { mayGrow: false };
        },
      }),
      8,
    );
    return { most: most(), attempts: Object.values(attempts).reduce((sum, each) => sum + each, 0) };
  },

  /** Interruptions by the database, more than the attempts of an item. */
  async interrupted({ run }: Bench) {
    const log: string[] = [];
    await run(1, () => ({
      async processItem() {
        log.push('attempt');
        return log.length <= 12 ? { mayGrow: false, interrupted: { waitMs: 10 } } : { mayGrow: false };
      },
      failItem: async () => void log.push('failed'),
    }));
    return log;
  },

  /** A job resumes at once, although an item from before the pause is still running. */
  async resumed({ run }: Bench) {
    const log = new Set<string>();
    await run(
      4,
      (job) => ({
        async processItem({ itemId }) {
          if (itemId === 'item-1' && !log.has(itemId)) {
            log.add(itemId);
            await job().signal(pauseSignal);
            await job().signal(resumeSignal);
          }
          while (itemId === 'item-0' && !log.has('item-3')) await sleep(10);
          log.add(itemId);
          return undefined;
        },
      }),
      2,
    );
    return [...log];
  },

  /** The outbox may send a start twice, so a workflow that begins may receive the signal of a resumed one. */
  async resumedAtStart({ run }: Bench) {
    const log: string[] = [];
    await run(2, (job) => ({
      async beginJob() {
        await job().signal(resumeSignal);
        return { concurrency: 1, open: true };
      },
      processItem: async ({ itemId }) => void log.push(itemId),
    }));
    return log;
  },

  /** A throttled item does not delay the end of a paused run. */
  async pausedWhileThrottled({ run }: Bench) {
    const log: string[] = [];
    await run(1, (job) => ({
      async processItem() {
        log.push('throttled');
        await job().signal(pauseSignal);
        return { mayGrow: false, throttled: { reason: 'models.example answered 429', waitMs: 3_600_000 } };
      },
      failItem: async () => void log.push('failed'),
      finishJob: async () => {
        log.push('finished');
        return 'paused';
      },
    }));
    return log;
  },

  async stopped({ run }: Bench) {
    const log: string[] = [];
    let progress: JobProgress | undefined;
    let arrived = 0;
    const handle = await run(
      10,
      (job) => ({
        async processItem({ itemId }) {
          arrived += 1;
          if (arrived === 4) {
            await job().signal(stopSignal);
            progress = await job().query(progressQuery);
          }
          // The other items wait for the stop signal.
          while (itemId !== 'item-0' && !progress) await sleep(10);
          log.push(itemId);
        },
        finishJob: async () => 'stopped',
      }),
      3,
    );
    return { log: log.sort(), progress, status: await statusOf(handle) };
  },

  async paused({ run }: Bench) {
    const log: string[] = [];
    await run(6, (job) => ({
      openItems: async (ref, after) =>
        Array.from({ length: 6 }, (_, turn) => ({ ...ref, itemId: `item-${turn}`, turn, phase: 0, name: `SKU-${turn}` })).filter(
          ({ turn, itemId }) => turn > after && !log.includes(itemId),
        ),
      async processItem({ itemId }) {
        if (itemId === 'item-1') await job().signal(pauseSignal);
        log.push(itemId);
      },
      async finishJob() {
        log.push('finished');
        // A user continues the job before the run that a pause ended has finished.
        return log.length === 3 ? 'processing' : 'completed';
      },
    }));
    return log;
  },

  async stoppedWaiting({ run }: Bench) {
    const failed: Record<string, string> = {};
    const log: string[] = [];
    await run(
      2,
      (job) => ({
        async processItem({ itemId }) {
          log.push(itemId);
          if (itemId === 'item-0')
            throw ApplicationFailure.create({ type: 'ProviderFault', message: 'busy', nextRetryDelay: '1 hour' });
          // The other item waits for its next attempt.
          const waits = async () => (await job().describe()).raw.pendingActivities?.some(({ attempt }) => attempt === 2);
          while (!(await waits())) await sleep(10);
          await job().signal(stopSignal);
          while (!failed['item-0']) await sleep(10);
        },
        failItem: async ({ itemId }, reason) => void Object.assign(failed, { [itemId]: reason }),
        finishJob: async () => 'stopped',
      }),
      2,
    );
    return { log: log.sort(), failed };
  },

  async failing({ run }: Bench) {
    const attempts: Record<string, number> = {};
    const failed: Record<string, string> = {};
    await run(
      4,
      () => ({
        async processItem({ itemId }) {
          attempts[itemId] = (attempts[itemId] ?? 0) + 1;
          if (itemId === 'item-1') throw failure('ProviderFault', 'models.example answered 503');
          if (itemId === 'item-2') throw failure('Internal', 'TypeError');
          if (itemId === 'item-3' && attempts[itemId]! < 3) throw failure('ProviderFault', 'models.example answered 429');
        },
        failItem: async ({ itemId }, reason) => void Object.assign(failed, { [itemId]: reason }),
      }),
      4,
    );
    return { attempts, failed };
  },

  async databaseAway({ run }: Bench) {
    const calls = { beginJob: 0, openItems: 0, failItem: 0, finishJob: 0 };
    const sometimes = (name: keyof typeof calls) => {
      calls[name] += 1;
      if (calls[name] <= 2) throw failure('Internal', 'ConnectionException');
    };
    const handle = await run(1, () => ({
      beginJob: async () => {
        sometimes('beginJob');
        return { concurrency: 1, open: true };
      },
      openItems: async (job, after) => {
        sometimes('openItems');
        return after < 0 ? [{ ...job, itemId: 'item-0', turn: 0, phase: 0, name: 'SKU-0' }] : [];
      },
      processItem: async () => {
        throw failure('Internal', 'TypeError');
      },
      failItem: async () => sometimes('failItem'),
      finishJob: async () => {
        sometimes('finishJob');
        return 'completed_with_errors';
      },
    }));
    return { calls, status: await statusOf(handle) };
  },

  async phases({ run }: Bench) {
    const log: number[] = [];
    await run(
      9,
      () => ({
        openItems: async (job, after) =>
          after < 0
            ? Array.from({ length: 9 }, (_, turn) => ({
                ...job,
                itemId: `item-${turn}`,
                turn,
                phase: turn < 5 ? 0 : 1,
                name: `SKU-${turn}`,
              }))
            : [],
        processItem: async ({ phase }) => {
          await sleep(phase === 0 ? 100 : 0);
          log.push(phase);
        },
      }),
      4,
    );
    return log;
  },

  async shown({ run }: Bench) {
    const handle = await run(2, () => ({}));
    const { events } = await handle.fetchHistory();
    const summaries = events!.flatMap(({ userMetadata }) => userMetadata?.summary?.data ?? []);
    return { result: await handle.result(), summaries: summaries.map((data) => JSON.parse(Buffer.from(data).toString())) };
  },

  async allFailed({ run }: Bench) {
    const errors = [{ message: 'Insufficient product data', items: 3 }];
    const result = { status: 'completed_with_errors', total: 3, succeeded: 0, failed: 3, errors };
    return run(3, () => ({ finishJob: async () => result.status, jobResult: async () => result })).then(
      () => 'completed',
      ({ cause }: { cause: ApplicationFailure }) => ({ message: cause.message, details: cause.details }),
    );
  },

  async closed({ run }: Bench) {
    const log: string[] = [];
    await run(5, () => ({
      beginJob: async () => ({ concurrency: 5, open: false }),
      openItems: async () => {
        log.push('read');
        return [];
      },
      processItem: async () => void log.push('processed'),
      finishJob: async () => {
        log.push('finished');
        return 'stopped';
      },
    }));
    return log;
  },

  async indexed({ index }: Bench) {
    const log: string[] = [];
    const next = (name: NextStep['step'], following: NextStep['step'], waitMs?: number) => async (): Promise<NextStep> => {
      log.push(name);
      return { step: following, ...(waitMs && { waitMs }) };
    };
    const pages = [next('crawlPage', 'crawlPage', 20), next('crawlPage', 'chunkSource')];
    await index({
      beginSource: async () => ({ step: 'discoverPages' }),
      discoverPages: next('discoverPages', 'crawlPage'),
      crawlPage: () => pages.shift()!(),
      chunkSource: next('chunkSource', 'embedChunks'),
      embedChunks: next('embedChunks', 'publishChunks'),
      publishChunks: next('publishChunks', 'done'),
    });
    return log;
  },

  async sourceFailing({ index }: Bench) {
    const log: string[] = [];
    await index({
      beginSource: async () => ({ step: 'embedChunks' }),
      embedChunks: async () => {
        log.push('embedChunks');
        throw failure('ProviderFault', 'models.example answered 503');
      },
      failSource: async (_, reason) => void log.push(reason),
    });
    return log;
  },

  async long({ run }: Bench) {
    const handed = new Map<number, number>();
    let runs = 0;
    let counted: JobProgress | undefined;
    const handle = await run(3_400, (job) => ({
      beginJob: async () => {
        runs += 1;
        return { concurrency: 40, open: true };
      },
      processItem: async ({ turn }) => void handed.set(turn, (handed.get(turn) ?? 0) + 1),
      async finishJob() {
        counted = await job().query(progressQuery);
        return 'completed';
      },
    }));
    return { runs, distinct: handed.size, most: Math.max(...handed.values()), counted, status: await statusOf(handle) };
  },
};

/** An item that takes some time, and the number of concurrent ones. */
function counted(ms: number) {
  let running = 0;
  let most = 0;
  const processItem = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(ms);
    running -= 1;
  };
  return { most: () => most, processItem };
}

const statusOf = async (handle: {
  describe(): Promise<{ typedSearchAttributes: { get(key: typeof searchAttributes.status): unknown } }>;
}) => (await handle.describe()).typedSearchAttributes.get(searchAttributes.status);
