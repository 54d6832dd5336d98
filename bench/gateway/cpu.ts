import { readFile } from 'node:fs/promises';

/** Of the kernel's clock, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time that a process with all its threads has taken; undefined where the system does not say (not Linux). */
export async function cpuSeconds(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The program's name, in parentheses, may hold spaces; user and system time are the twelfth and thirteenth field after it.
  const fields = text.split(') ').at(-1)?.split(' ') ?? [];
  const [user, system] = [fields[11], fields[12]];
  return user === undefined || system === undefined ? undefined : (Number(user) + Number(system)) / TICKS_PER_SECOND;
}
