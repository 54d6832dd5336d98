/** CPU time of this process for `work`, in microseconds. Other processes do not change it. */
export function cpuTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The same for asynchronous work, with all threads of this process. */
export async function cpuTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The fastest of some runs. Compilation and garbage collection disturb single runs. */
export const fastest = (work: () => void, runs = 3): number => Math.min(...Array.from({ length: runs }, () => cpuTime(work)));

/** Milliseconds of the quickest of some runs, to compare with those of less work. The product may run in another process. */
export async function quickest(work: () => Promise<unknown>, runs = 3): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return Math.min(...times);
}

const TEXT = 'some words, 12.5 and more; '.repeat(20_000);

/** The cost of simple linear work on half a megabyte: the unit of measurement, because machines differ. */
export const unitOfWork = (): number => fastest(() => TEXT.normalize('NFKD').toUpperCase().split(/\W+/).join(' '));

let known: number | undefined;

/** Whether work costs less than so many units. Both are measured again before it is false, because the speed of a busy machine varies. */
export function costsLessThan(units: number, work: () => void): boolean {
  known ??= unitOfWork();
  for (let tries = 0; tries < 3; tries += 1) {
    if (fastest(work, 5) < units * known) return true;
    known = unitOfWork();
  }
  return false;
}
