import { readFile } from 'node:fs/promises';

/** Duration of a kernel clock tick, on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process with all its threads; undefined on systems other than Linux. */
export async function cpuSeconds(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The program name in parentheses may contain spaces; user and system time are the twelfth and thirteenth fields after it.
  const fields = text.split(') ').at(-1)?.split(' ') ?? [];
  const [user, system] = [fields[11], fields[12]];
  return user === undefined || system === undefined ? undefined : (Number(user) + Number(system)) / TICKS_PER_SECOND;
}
