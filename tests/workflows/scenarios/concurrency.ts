import { setTimeout as sleep } from 'node:timers/promises';
import { heartbeat } from '@temporalio/activity';
import { type JobProgress, progressQuery } from '../../../workflows/contract.ts';
import type { Bench } from '../bench.ts';
import { counted, statusOf } from './support.ts';

/** Scenarios of the order and the number of concurrent items. */
export const concurrency = {
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
    const processItem = async () => {
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
    await run(16, () => ({
      beginJob: async () => ({ concurrency: 2, limit: 6, open: true }),
      async processItem() {
        await processItem();
        return { mayGrow: true };
      },
    }));
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

  async long({ run }: Bench) {
    const [count, log, ended] = [3_400, [] as string[], new Map<number, number>()];
    // The first run takes the first parent, which waits, but not the second one.
    const names = new Map([
      [0, 'variant'],
      [1, 'parent'],
      [count - 1, 'parent'],
    ]);
    let [runs, attempts] = [0, 0];
    let counted: JobProgress | undefined;
    const handle = await run(count, (workflow) => ({
      beginJob: async () => {
        runs += 1;
        return { concurrency: 40, open: true };
      },
      openItems: async (job, after, limit) =>
        Array.from({ length: count }, (_, turn) => turn)
          .filter((turn) => turn > after && !ended.has(turn))
          .slice(0, limit)
          .map((turn) => ({
            ...job,
            itemId: `item-${turn}`,
            turn,
            phase: Number(names.get(turn) === 'parent'),
            name: `SKU-${turn}`,
          })),
      processItem: async ({ turn }) => {
        if (turn === 0 && attempts++ === 0) {
          // The first run is full when no other item starts.
          for (let before = -1; before < ended.size; await sleep(2_000)) {
            before = ended.size;
            heartbeat();
          }
          return { mayGrow: false, interrupted: { waitMs: 1 } };
        }
        ended.set(turn, (ended.get(turn) ?? 0) + 1);
        if (names.has(turn)) log.push(names.get(turn)!);
        return { mayGrow: false };
      },
      async finishJob() {
        counted = await workflow().query(progressQuery);
        return ended.size < count ? 'processing' : 'completed';
      },
    }));
    return { runs, log, distinct: ended.size, most: Math.max(...ended.values()), counted, status: await statusOf(handle) };
  },
};
