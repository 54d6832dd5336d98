import { storableJson } from '../../../schema/json.ts';
import type { Chunk } from './chunks.ts';
import type { ReplyRef } from './store.ts';

/** Why a reply was aborted. */
export type AbortCause = 'stopped' | 'lost' | 'shutdown' | 'unstorable';

/** Thrown to the writer of a reply that was aborted. */
export class ReplyAborted extends Error {
  override name = 'ReplyAborted';

  constructor(readonly reason: AbortCause) {
    super(`The reply was aborted: ${reason}`);
  }
}

/** A reply that this process is writing. Its followers in this process read the chunks from memory, before they are stored. */
export class Reply {
  readonly chunks: Chunk[] = [];
  /** Number of chunks in the database. */
  stored = 0;
  /** Set while its end is being stored, which includes the remaining chunks. */
  isSettling = false;
  /** No further chunks will follow. */
  ended = false;
  readonly #wakes = new Set<() => void>();
  readonly #abort = new AbortController();

  constructor(
    readonly ref: ReplyRef & { lease: string },
    private readonly onPush: () => void,
  ) {}

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Append chunks. Texts of models and tools may contain characters that PostgreSQL rejects; they are replaced here. */
  push(...chunks: Chunk[]): void {
    this.chunks.push(...chunks.map((chunk) => storableJson(chunk, -1)));
    this.#wake();
    this.onPush();
  }

  abort(reason: AbortCause): void {
    this.#abort.abort(new ReplyAborted(reason));
  }

  /** End the reply for its followers in this process. */
  end(): void {
    this.ended = true;
    this.#wake();
  }

  /** Call `wake` after each change until the returned function is called. */
  watch(wake: () => void): () => void {
    this.#wakes.add(wake);
    return () => void this.#wakes.delete(wake);
  }

  #wake(): void {
    for (const wake of this.#wakes) wake();
  }
}
