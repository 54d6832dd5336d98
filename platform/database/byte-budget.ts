import { forbidInTransaction } from './transactions.ts';

interface Waiting {
  owner: string;
  bytes: number;
  enter(): void;
}

/** Bytes that one piece of work holds. */
export interface Reservation {
  /** Replace the estimate by the actual bytes, without waiting. More bytes than before only delay later work. */
  resize(bytes: number): void;
  /** Repeated calls have no effect. */
  release(): void;
}

/** Part of the budget that owners with a reservation leave to the others. */
const LEFT_TO_OTHERS = 1 / 4;

/** Limits the bytes that concurrent work holds. The owner that holds least goes first, so no owner takes the turns of another. */
export class ByteBudget {
  readonly #held = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #reservations = 0;
  #used = 0;

  constructor(private readonly limit: number) {}

  /** Wait for room, at most until the signal aborts. A reservation larger than the whole budget waits until it is the only one. */
  async reserve(owner: string, bytes: number, signal?: AbortSignal): Promise<Reservation> {
    forbidInTransaction('Memory');
    await this.#enter(owner, bytes, signal);
    let held: number | undefined = bytes;
    return {
      resize: (actual) => {
        if (held === undefined) return;
        this.#add(owner, actual - held);
        held = actual;
        this.#next();
      },
      release: () => {
        if (held === undefined) return;
        this.#reservations -= 1;
        this.#add(owner, -held);
        held = undefined;
        this.#next();
      },
    };
  }

  #enter(owner: string, bytes: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason);
        // It may have blocked smaller ones.
        this.#next();
      };
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { owner, bytes, enter };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  /** Smaller work never overtakes the first, which would wait forever. */
  #next(): void {
    for (let first = this.#first(); first && this.#fits(first); first = this.#first()) {
      this.#waiting.splice(this.#waiting.indexOf(first), 1);
      this.#reservations += 1;
      this.#add(first.owner, first.bytes);
      first.enter();
    }
  }

  #first(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const each of this.#waiting) if (!first || this.#heldBy(each) < this.#heldBy(first)) first = each;
    return first;
  }

  #fits(waiting: Waiting): boolean {
    const limit = this.#heldBy(waiting) > 0 ? this.limit * (1 - LEFT_TO_OTHERS) : this.limit;
    return this.#reservations === 0 || this.#used + waiting.bytes <= limit;
  }

  #heldBy({ owner }: Waiting): number {
    return this.#held.get(owner) ?? 0;
  }

  #add(owner: string, bytes: number): void {
    this.#used += bytes;
    const held = (this.#held.get(owner) ?? 0) + bytes;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}
