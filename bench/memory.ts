import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { run } from '../start/servers/processes.ts';

/** Resident memory in megabytes by process, including its children. */
export async function memoryOf<Name extends string>(processes: Record<Name, number>): Promise<Record<Name, number>> {
  const { output } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
  const all = output.split('\n').flatMap((line) => {
    const [pid, parent, kilobytes] = line.trim().split(/\s+/).map(Number);
    return pid ? [{ pid, parent, kilobytes: kilobytes ?? 0 }] : [];
  });
  const total = async (pid: number): Promise<number> => {
    const children = all.filter(({ parent }) => parent === pid);
    const own = (await shared(pid)) ?? all.find((each) => each.pid === pid)?.kilobytes ?? 0;
    return own + (await Promise.all(children.map((child) => total(child.pid)))).reduce((sum, each) => sum + each, 0);
  };
  const entries = Object.entries<number>(processes).map(async ([name, pid]) => [name, (await total(pid)) / 1024]);
  return Object.fromEntries(await Promise.all(entries));
}

/** Maximum memory growth of a process in megabytes during the work. */
export async function growthOf<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; grown: number }> {
  const now = async () => Object.values(await memoryOf({ pid }))[0]!;
  const before = await now();
  let peak = before;
  let working = true;
  const watch = (async () => {
    while (working) {
      peak = Math.max(peak, await now());
      await wait(50);
    }
  })();
  const result = await work().finally(() => (working = false));
  await watch;
  return { result, grown: peak - before };
}

/** Linux counts shared memory once (PSS); other systems count it for each process. PostgreSQL's buffers are the largest part. */
async function shared(pid: number): Promise<number | undefined> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(rollup) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes);
}
