interface Queue {
  active: number;
  waiting: (() => void)[];
}

/** Limits concurrency per key. Callers wait in FIFO order. */
export class Slots {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly width: number) {}

  /** Run `work` in a slot of this key. Throws the reason of the signal on abort while waiting. */
  async run<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const release = await this.take(key, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Take a slot of this key. Returns a function that releases it; repeated calls have no effect. */
  async take(key: string, signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    const queue = this.#queues.get(key) ?? { active: 0, waiting: [] };
    this.#queues.set(key, queue);
    if (queue.active < this.width) queue.active += 1;
    else await wait(queue, signal);
    let isTaken = true;
    return () => {
      if (isTaken) this.#release(key, queue);
      isTaken = false;
    };
  }

  /** Pass the slot to the next waiting caller. */
  #release(key: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next) next();
    else {
      queue.active -= 1;
      if (queue.active === 0) this.#queues.delete(key);
    }
  }
}

function wait({ waiting }: Queue, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const abort = () => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal!.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    waiting.push(enter);
  });
}
