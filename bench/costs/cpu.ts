import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks per second of Linux. */
const TICKS = 100;

/** Processor milliseconds that each process and its descendants have used, including those that ended. Linux only. */
export async function processorTime<Name extends string>(processes: Record<Name, number>): Promise<Record<Name, number>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map(statOf))).filter((stat) => stat !== undefined);
  const total = (pid: number): number => {
    const own = all.find((stat) => stat.pid === pid)?.ticks ?? 0;
    return all.filter(({ parent }) => parent === pid).reduce((sum, child) => sum + total(child.pid), own);
  };
  const entries = Object.entries<number>(processes).map(([name, pid]) => [name, (total(pid) / TICKS) * 1_000]);
  return Object.fromEntries(entries);
}

async function statOf(pid: string) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  if (!text) return undefined;
  // The program name in parentheses may contain spaces. The fields after it are: state, parent, …, utime, stime, cutime, cstime.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + fields[at]!, 0);
  return { pid: Number(pid), parent: fields[1]!, ticks };
}
