import type { ListrTask } from 'listr2';

/** Whether standard output can redraw lines. A pseudo-terminal may have 0 columns. */
export const isInteractive = Boolean(process.stdout.isTTY) && process.stdout.columns > 0;

/** Milliseconds between two lines about one step, for output that cannot redraw a line. */
export const LINE_MS = 15_000;

/** Print a line every 15 seconds while a stage runs, for output that cannot show an animation. */
export function withSignsOfLife<Context>(
  stages: ListrTask<Context>[],
  print: (line: string) => void,
  everyMs = LINE_MS,
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

/** Print each step when it begins, and the current one every 15 seconds until `end`. */
export function printSteps(print: (line: string) => void, everyMs = LINE_MS): { onStep(step: string): void; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    onStep(step) {
      clearInterval(timer);
      const startedAt = Date.now();
      print(step);
      timer = setInterval(() => print(`… ${step} (${Math.round((Date.now() - startedAt) / 1_000)} s)`), everyMs).unref();
    },
    end: () => clearInterval(timer),
  };
}
