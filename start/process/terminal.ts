import type { ListrTask } from 'listr2';

/** Whether standard output can redraw lines. A pseudo-terminal may have 0 columns. */
export const isInteractive = Boolean(process.stdout.isTTY) && process.stdout.columns > 0;

const SIGN_MS = 10_000;

/** Print a line every 10 seconds while a stage runs, for output that cannot show an animation. */
export function withSignsOfLife<Context>(
  stages: ListrTask<Context>[],
  print: (line: string) => void,
  everyMs = SIGN_MS,
): ListrTask<Context>[] {
  return stages.map((stage) => ({
    ...stage,
    async task(context, task) {
      const startedAt = Date.now();
      const timer = setInterval(() => {
        const step = (task.output as string | undefined) || task.title;
        print(`… ${step} (${Math.round((Date.now() - startedAt) / 1_000)} s)`);
      }, everyMs);
      try {
        return await stage.task(context, task);
      } finally {
        clearInterval(timer);
      }
    },
  }));
}
