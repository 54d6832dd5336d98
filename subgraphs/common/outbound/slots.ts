interface Line {
  taken: number;
  waiting: (() => void)[];
}

/** Limits how much runs at a time for each key; the rest waits in order. */
export class Slots {
  readonly #lines = new Map<string, Line>();

  constructor(private readonly width: number) {}

  /** Run `work` in a slot of this key. Throws the reason of the signal when that comes while it waits. */
  async run<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const line = this.#lines.get(key) ?? { taken: 0, waiting: [] };
    this.#lines.set(key, line);
    if (line.taken < this.width) line.taken += 1;
    else await wait(line, signal);
    try {
      return await work();
    } finally {
      this.#release(key, line);
    }
  }

  /** The next in line takes the slot over. */
  #release(key: string, line: Line): void {
    const next = line.waiting.shift();
    if (next) next();
    else {
      line.taken -= 1;
      if (line.taken === 0) this.#lines.delete(key);
    }
  }
}

function wait({ waiting }: Line, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal!.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    waiting.push(enter);
  });
}
