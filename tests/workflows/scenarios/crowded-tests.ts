import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';

/** Scenarios of test runs. */
export const crowdedTests = {
  /** The repeats that ran at the same time while the worker had room, and after it was crowded. */
  async crowdedTests({ tests }: Bench) {
    let running = 0;
    const most = { roomy: 0, crowded: 0 };
    await tests({
      beginTests: async (_, width) => width,
      openTests: async (run, after, limit) =>
        Array.from({ length: 24 }, (_, at) => at + 1)
          .filter((turn) => turn > after)
          .slice(0, limit)
          .map((turn) => ({ ...run, resultId: `result-${turn}`, turn, name: `Case ${turn}` })),
      async runTest({ turn }) {
        running += 1;
        // The lanes that were open before end with their repeat.
        if (turn < 12) most.roomy = Math.max(most.roomy, running);
        else if (turn > 18) most.crowded = Math.max(most.crowded, running);
        await sleep(100);
        running -= 1;
        return { mayGrow: turn < 12, crowded: turn >= 12 };
      },
      failTest: async () => {},
      finishTests: async () => true,
    });
    return most;
  },
};
