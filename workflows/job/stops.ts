import type { Notifications } from '../../platform/queues/index.ts';
import { STOP_CHANNEL } from '../../subgraphs/catalog/jobs/stop.ts';

/** Why an item is given up whose result nobody wants. */
export class JobStopped extends Error {
  override name = 'JobStopped';
}

type Abort = (reason: Error) => void;

/** Ends the running items of stopped jobs at once, with their requests to the model. The cancellation by Temporal takes seconds. */
export class Stops {
  readonly #running = new Map<string, Set<Abort>>();

  constructor(notifications: Notifications) {
    notifications.on(STOP_CHANNEL, (jobId) => {
      for (const abort of this.#running.get(jobId) ?? []) abort(new JobStopped());
    });
  }

  /** Calls `abort` if the running items of the job fail, until the returned function is called. */
  watch(jobId: string, abort: Abort): () => void {
    const items = this.#running.get(jobId) ?? new Set();
    this.#running.set(jobId, items.add(abort));
    return () => {
      items.delete(abort);
      if (items.size === 0) this.#running.delete(jobId);
    };
  }
}
