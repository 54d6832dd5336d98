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

const TEXT = 'some words, 12.5 and more; '.repeat(20_000);

/** The cost of simple linear work on half a megabyte: the unit of measurement, because machines differ. */
export const unitOfWork = (): number => fastest(() => TEXT.normalize('NFKD').toUpperCase().split(/\W+/).join(' '));
