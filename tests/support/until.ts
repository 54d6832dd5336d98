import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds between two reads: a tenth of the wait so far, because reads take processor time from the work that they wait for. */
const [LEAST, MOST] = [20, 200];

/** Milliseconds after which a wait fails. It only guards against a hang, so it is long enough for a slow machine. */
export const PATIENCE = 200_000;

/** Read until the value is wanted, and return it. Fails after a timeout in milliseconds, with the last value. */
export async function readUntil<T>(read: () => T | Promise<T>, isWanted: (value: T) => boolean, patience = PATIENCE): Promise<T> {
  const started = performance.now();
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    const waited = performance.now() - started;
    if (waited > patience) throw new Error(`The expected value did not appear in time. The last one is ${JSON.stringify(value)}.`);
    await wait(Math.min(MOST, Math.max(LEAST, waited / 10)));
  }
}

/** Poll until the condition is true. Fails after a timeout in milliseconds. */
export async function until(isSo: () => boolean | Promise<boolean>, patience?: number): Promise<void> {
  await readUntil(isSo, Boolean, patience);
}
