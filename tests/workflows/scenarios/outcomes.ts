import type { ApplicationFailure } from '@temporalio/activity';
import type { Bench } from '../bench.ts';
import { failure, statusOf } from './support.ts';

/** Scenarios of failures, and of the result that operators see. */
export const outcomes = {
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

  async shown({ run }: Bench) {
    const handle = await run(2, () => ({}));
    const { events } = await handle.fetchHistory();
    const summaries = events!.flatMap(({ userMetadata }) => userMetadata?.summary?.data ?? []);
    return { result: await handle.result(), summaries: summaries.map((data) => JSON.parse(Buffer.from(data).toString())) };
  },
};
