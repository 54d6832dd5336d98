import { isDataError } from '../../../platform/database/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { storableJson } from '../../../schema/json.ts';
import type { QuestionVector } from '../retrieval/retrieve.ts';
import type { Chunk } from './reply-store.ts';
import { type Batch, CHUNKS_CHANNEL, RENEWAL_MS, type ReplyRef, renewLeases, STOP_CHANNEL, storeChunks } from './reply-store.ts';

/** How a reply ended. */
export interface ReplyOutcome {
  status: 'complete' | 'stopped' | 'failed';
  /** Why it failed, for the owner. */
  error?: string;
  model?: string;
  inputTokens?: number;
  outputTokens?: number;
  /** Whether it says that nothing answers the question. */
  unanswered?: boolean;
  /** Sentences that the passages they cite do not support. */
  unsupported?: readonly string[];
  /** The version of the agent that wrote it. */
  version?: number | null;
  /** The sources of the agent that it cites. */
  cited?: readonly string[];
  /** The SKUs of the products that it is about. */
  products?: readonly string[];
  /** Milliseconds until its first text, and until its end. */
  firstTokenMs?: number;
  durationMs?: number;
  /** The vector of the question, if sources were compared with it. */
  question?: QuestionVector;
}

/** Milliseconds for which the chunks of all replies are collected before they are stored. */
const STORE_DELAY = 100;

/** The replies that this process writes. It stores their chunks and renews their leases together. */
class Replies {
  readonly #running = new Map<string, Reply>();
  readonly #followers = new Map<string, Set<() => void>>();
  #storeTimer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();
  #renewTimer: NodeJS.Timeout | undefined;

  constructor(private readonly services: Services) {
    const { notifications } = services;
    notifications.on(STOP_CHANNEL, (id) => (id ? this.#running.get(id)?.abort('stopped') : void this.#renew()));
    notifications.on(CHUNKS_CHANNEL, (id) => {
      const woken = id ? [this.#followers.get(id) ?? []] : this.#followers.values();
      for (const wakes of woken) for (const wake of wakes) wake();
    });
  }

  find(id: string): Reply | undefined {
    return this.#running.get(id);
  }

  /** Register a reply whose lease this process holds. */
  add(ref: ReplyRef & { lease: string }): Reply {
    const reply = new Reply(ref, () => this.#scheduleStore());
    this.#running.set(ref.id, reply);
    this.#renewTimer ??= setInterval(() => void this.#renew(), RENEWAL_MS).unref();
    return reply;
  }

  remove(reply: Reply): void {
    this.#running.delete(reply.ref.id);
    reply.end();
    if (this.#running.size > 0) return;
    clearInterval(this.#renewTimer);
    this.#renewTimer = undefined;
  }

  /** Wait until the chunks in flight are stored, and store no more of this reply. */
  async settling(reply: Reply): Promise<void> {
    reply.isSettling = true;
    await this.#storing;
  }

  /** Call `wake` when another process stores chunks of the reply, until the returned function is called. */
  watch(id: string, wake: () => void): () => void {
    const wakes = this.#followers.get(id) ?? new Set();
    this.#followers.set(id, wakes.add(wake));
    return () => {
      wakes.delete(wake);
      if (wakes.size === 0) this.#followers.delete(id);
    };
  }

  #scheduleStore(): void {
    this.#storeTimer ??= setTimeout(() => {
      this.#storing = this.#store().finally(() => {
        this.#storeTimer = undefined;
        if (this.#pending().length > 0) this.#scheduleStore();
      });
    }, STORE_DELAY);
  }

  #pending(): Reply[] {
    return [...this.#running.values()].filter(({ chunks, stored, isSettling }) => !isSettling && chunks.length > stored);
  }

  async #store(): Promise<void> {
    const pending = this.#pending();
    if (pending.length === 0) return;
    const error = await this.#storeBatches(pending);
    if (error === undefined || !isDataError(error)) return;
    // One reply cannot be stored. It must not block the others.
    for (const reply of pending) if (isDataError(await this.#storeBatches([reply]))) reply.abort('unstorable');
  }

  /** Store the new chunks of replies in one statement. Returns the error. */
  async #storeBatches(pending: readonly Reply[]): Promise<unknown> {
    const batches = pending.map(
      ({ ref, chunks, stored }): Batch => ({ id: ref.id, lease: ref.lease, first: stored + 1, chunks: chunks.slice(stored) }),
    );
    try {
      const held = await storeChunks(this.services.pool, batches);
      for (const [place, reply] of pending.entries()) {
        if (held.has(reply.ref.id)) reply.stored += batches[place]!.chunks.length;
        else reply.abort('lost');
      }
      return undefined;
    } catch (error) {
      // Chunks stay in memory until the database is back or the lease expires.
      log.warn({ err: error, replies: batches.length }, 'Failed to store chunks of replies; retrying');
      return error;
    }
  }

  async #renew(): Promise<void> {
    const replies = [...this.#running.values()];
    if (replies.length === 0) return;
    try {
      const held = await renewLeases(
        this.services.pool,
        replies.map(({ ref }) => ref),
      );
      for (const reply of replies) {
        const stopRequested = held.get(reply.ref.id);
        if (stopRequested === undefined && !reply.isSettling) reply.abort('lost');
        if (stopRequested) reply.abort('stopped');
      }
    } catch (error) {
      log.warn({ err: error, replies: replies.length }, 'Failed to renew the leases of replies');
    }
  }
}

const registries = new WeakMap<Services, Replies>();

/** The replies of this process. */
export function repliesOf(services: Services): Replies {
  const known = registries.get(services);
  if (known) return known;
  const replies = new Replies(services);
  registries.set(services, replies);
  return replies;
}

/** Why a reply was aborted. */
type AbortCause = 'stopped' | 'lost' | 'shutdown' | 'unstorable';

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
  /** The version of the agent that writes it; null for a draft. */
  version: number | null = null;
  /** The vector of its question, if sources were compared with it. */
  question: QuestionVector | undefined;
  readonly #begunAt = performance.now();
  #firstTokenMs: number | undefined;
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

  /** Begin with the chunks that are stored already. */
  continueFrom(chunks: readonly Chunk[]): void {
    this.chunks.push(...chunks);
    this.stored = chunks.length;
  }

  /** Append chunks. Texts of models and tools may contain characters that PostgreSQL rejects; they are replaced here. */
  push(...chunks: Chunk[]): void {
    this.chunks.push(...chunks.map((chunk) => storableJson(chunk, -1)));
    if (chunks.some(({ type }) => type === 'text-delta')) this.#firstTokenMs ??= this.#elapsed();
    this.#wake();
    this.onPush();
  }

  /** The times and the question, for the figures of the agent. */
  measured(): Pick<ReplyOutcome, 'firstTokenMs' | 'durationMs' | 'question'> {
    return { firstTokenMs: this.#firstTokenMs, durationMs: this.#elapsed(), question: this.question };
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#begunAt);
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
