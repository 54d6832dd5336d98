import type { Attempts } from './load/workload.ts';

/** Faults between two lines of progress. */
const EVERY = 10;
const MIB = 1024 ** 2;

/** Prints the progress of a long run with an estimate of the remaining time. */
export function progressOf(total: number, attempts: Attempts, print: (text: string) => void): (done: number) => void {
  const startedAt = performance.now();
  return (done) => {
    if (done % EVERY !== 0 && done !== total) return;
    const left = ((performance.now() - startedAt) / done) * (total - done);
    const memory = Math.round(process.memoryUsage.rss() / MIB);
    print(
      `${done} of ${total} faults, about ${duration(left)} left; ${attempts.succeeded} requests succeeded, ${attempts.failed} failed; ${memory} MiB`,
    );
  };
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
