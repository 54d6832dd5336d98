import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { type JobProgress, pauseSignal, progressQuery, resumeSignal, stopSignal } from '../../../workflows/contract.ts';
import type { Bench } from '../bench.ts';
import { statusOf } from './support.ts';

/** Scenarios of jobs that users pause, resume or stop. */
export const signals = {
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

  /** An item that the pause leaves open no longer delays the items of the later phase. */
  async resumedPhases({ run }: Bench) {
    const [log, ended] = [[] as string[], new Set<string>()];
    let [runs, isPaused] = [0, false];
    await run(3, (job) => ({
      beginJob: async () => {
        runs += 1;
        return { concurrency: 3, open: true };
      },
      openItems: async (ref, after, limit) =>
        [0, 1, 2]
          .filter((turn) => turn > after && !ended.has(`item-${turn}`))
          .slice(0, limit)
          .map((turn) => ({ ...ref, itemId: `item-${turn}`, turn, phase: Number(turn === 2), name: `SKU-${turn}` })),
      async processItem({ itemId }) {
        if (itemId === 'item-0' && !isPaused) {
          await job().signal(pauseSignal);
          isPaused = true;
          return { mayGrow: false, interrupted: { waitMs: 1 } };
        }
        if (itemId === 'item-1') {
          while (!isPaused) await sleep(10);
          await sleep(1_000);
          await job().signal(resumeSignal);
        }
        ended.add(itemId);
        log.push(itemId);
        return { mayGrow: false };
      },
      finishJob: async () => (ended.size < 3 ? 'processing' : 'completed'),
    }));
    return { runs, last: log.at(-1) };
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
};
