import { GraphQLError } from 'graphql';
import { fail } from '../../schema/errors.ts';

/** Seconds after which a refused caller should retry. Most forms have arrived by then. */
const RETRY_AFTER = 10;

/** Bytes that one form holds in the temporary folder. */
export interface FormReservation {
  /** Count bytes before they are written. Bytes beyond the announced ones need room, and throw without it. */
  add(bytes: number): void;
  /** Call it once the files of the form are deleted. Repeated calls have no effect. */
  release(): void;
}

/**
 * Limits the bytes of the forms that a process receives at the same time. An organization never holds more than it leaves free: alone it
 * gets half of the budget, two get a third each, and so on. There is always room for one more.
 */
export class UploadBudget {
  readonly #held = new Map<string, number>();
  #free: number;

  constructor(readonly bytes: number) {
    this.#free = bytes;
  }

  /** Bytes that no form holds. */
  get free(): number {
    return this.#free;
  }

  /** Maximum bytes of one form, with its frame. */
  get largestForm(): number {
    return Math.floor(this.bytes / 2);
  }

  /**
   * Reserve the announced length of a form; 0 if it is unknown. Throws `RATE_LIMITED` if other forms of the owner take its share, and
   * `UNAVAILABLE` if those of others do.
   */
  reserve(owner: string, announced: number): FormReservation {
    this.#take(owner, announced);
    let [reserved, written, isReleased] = [announced, 0, false];
    return {
      add: (bytes) => {
        written += bytes;
        if (isReleased || written <= reserved) return;
        this.#take(owner, written - reserved);
        reserved = written;
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#change(owner, -reserved);
      },
    };
  }

  #take(owner: string, bytes: number): void {
    const held = this.#held.get(owner) ?? 0;
    if (held + bytes > this.#free - bytes) throw refusal(held);
    this.#change(owner, bytes);
  }

  #change(owner: string, bytes: number): void {
    this.#free -= bytes;
    const held = (this.#held.get(owner) ?? 0) + bytes;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}

/** 429 if the caller can end uploads of its own, or else 503. */
function refusal(held: number): GraphQLError {
  if (held === 0) return fail('UNAVAILABLE', 'Other uploads are in progress. Try again shortly.');
  const message = 'Other uploads of the organization are in progress. Try again when they end.';
  return new GraphQLError(message, { extensions: { code: 'RATE_LIMITED', retryAfter: RETRY_AFTER } });
}
