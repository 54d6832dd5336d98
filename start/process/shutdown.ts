import { setTimeout as wait } from 'node:timers/promises';
import type { Stop } from '../../platform/queues/stop.ts';
import { log } from '../../platform/telemetry/log.ts';

const DEFAULT_MS = 1_000;
/** Milliseconds of the shutdown of a server; longer than its requests in flight and running replies get. */
export const SERVER_CLOSE_MS = 11_500;

/** The end of a process, whose parts cannot hold up each other. */
export class Shutdown {
  readonly #open = new Set<string>();

  /** Names of the parts that have not stopped, although the shutdown may no longer wait for them. */
  get open(): string[] {
    return [...this.#open];
  }

  /** Stop a part, and wait for it up to a limit. Failures are logged. */
  readonly stop: Stop = async (part, work, milliseconds = DEFAULT_MS) => {
    this.#open.add(part);
    const stopping = Promise.resolve()
      .then(work)
      .catch((err: unknown) => log.warn({ part, err }, 'A part of the process failed to stop'))
      .then(() => this.#open.delete(part));
    const timer = new AbortController();
    const isLate = await Promise.race([
      stopping.then(() => false),
      wait(milliseconds, true, { signal: timer.signal, ref: false }).catch(() => true),
    ]);
    timer.abort();
    if (isLate) log.warn({ part, milliseconds }, 'A part of the process did not stop in time; continuing without it');
  };
}
