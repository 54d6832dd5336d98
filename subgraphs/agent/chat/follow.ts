import { EventStream } from 'compiled-gateway/event-stream';
import type { Services } from '../../../platform/subgraph/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { FAILED_TEXT, settleDead } from './finish.ts';
import type { Chunk } from './reply-store.ts';
import { type ReplyRef, readChunks, readState, watchReply } from './reply-store.ts';
import type { Reply } from './running-replies.ts';
import { repliesOf } from './running-replies.ts';

/** A numbered chunk of a reply. */
export interface ReplyEvent {
  sequence: number;
  conversationId: string;
  visitorId: string;
  identityStatus: EnumValue<'IdentityStatus'>;
  messageId: string;
  part: Chunk;
}

type Followed = ReplyRef & Pick<ReplyEvent, 'visitorId' | 'identityStatus'>;
type Numbered = { sequence: number; chunk: Chunk };

/** Poll interval, in milliseconds, for a reply that another process writes. Notifications usually come first. */
const POLL_INTERVAL = 3_000;

/** Stream the chunks of a reply after the given number until its end. Ending the stream does not stop the reply. */
export function followReply(services: Services, followed: Followed, after: number, signal?: AbortSignal): EventStream<ReplyEvent> {
  const reply = repliesOf(services).find(followed.id);
  const follower = reply ? new LocalFollower(reply, after) : new RemoteFollower(services, followed, after);
  const { id: messageId, conversationId, visitorId, identityStatus } = followed;
  const stream = new EventStream<ReplyEvent>(
    async () => {
      const next = await follower.next();
      return next && { sequence: next.sequence, conversationId, visitorId, identityStatus, messageId, part: next.chunk };
    },
    () => follower.leave(),
  );
  signal?.addEventListener('abort', () => stream.end(), { once: true });
  return stream;
}

/** Stream a reply without content, for a message that a person will answer. */
export function answerSilently(
  { id: messageId, conversationId, visitorId, identityStatus }: Followed,
  after: number,
): EventStream<ReplyEvent> {
  const chunks: Chunk[] = [{ type: 'start', messageId }, { type: 'start-step' }, { type: 'finish-step' }, { type: 'finish' }];
  const events = chunks
    .map((part, index) => ({ sequence: index + 1, conversationId, visitorId, identityStatus, messageId, part }))
    .slice(after);
  return new EventStream<ReplyEvent>(
    async () => events.shift(),
    () => {},
  );
}

/** Follows a reply of this process in memory. */
class LocalFollower {
  #wake: (() => void) | undefined;
  #left = false;
  readonly #unwatch: () => void;

  constructor(
    private readonly reply: Reply,
    private seen: number,
  ) {
    this.#unwatch = reply.watch(() => this.#wake?.());
  }

  async next(): Promise<Numbered | undefined> {
    const { chunks } = this.reply;
    while (chunks.length <= this.seen && !this.reply.ended && !this.#left)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const chunk = chunks[this.seen];
    if (chunk === undefined || this.#left) return undefined;
    this.seen += 1;
    return { sequence: this.seen, chunk };
  }

  leave(): void {
    this.#left = true;
    this.#unwatch();
    this.#wake?.();
  }
}

/** Follows a reply of another process in the database. Notifications only trigger reads, so a lost one delays but loses nothing. */
class RemoteFollower {
  readonly #queue: Numbered[] = [];
  readonly #unwatch: () => void;
  #wake: (() => void) | undefined;
  #isWatching = false;
  #isNotified = false;
  /** The last chunk ended the reply, unless the reply continues after an approval. */
  #isFinished = false;
  #ended = false;

  constructor(
    private readonly services: Services,
    private readonly reply: ReplyRef,
    private seen: number,
  ) {
    this.#unwatch = repliesOf(services).watch(reply.id, () => {
      this.#isNotified = true;
      this.#wake?.();
    });
  }

  async next(): Promise<Numbered | undefined> {
    for (;;) {
      const value = this.#queue.shift();
      if (value) {
        this.seen = value.sequence;
        this.#isFinished = value.chunk.type === 'finish';
        return value;
      }
      if (this.#ended) return undefined;
      await this.#read();
    }
  }

  leave(): void {
    this.#ended = true;
    this.#unwatch();
    this.#wake?.();
  }

  async #read(): Promise<void> {
    const { pool } = this.services;
    if (!this.#isWatching) await watchReply(pool, this.reply.id);
    this.#isWatching = true;
    this.#isNotified = false;
    // Read the state first: all chunks of a reply that has ended are stored.
    const state = await readState(pool, this.reply.id);
    this.#queue.push(...(await readChunks(pool, this.reply.id, this.seen)));
    if (this.#queue.length > 0) return;
    if (!state) return this.#isFinished ? this.leave() : this.#finish(FAILED_TEXT);
    if (!state.running) return this.#isFinished ? this.leave() : this.#finish();
    if (state.dead) return settleDead(this.services, this.reply);
    if (!this.#isNotified && !this.#ended) await this.#wait();
  }

  /** The chunks of a reply that ended long ago are deleted. */
  #finish(errorText?: string): void {
    const closing: Chunk[] = errorText ? [{ type: 'error', errorText }, { type: 'finish-step' }] : [];
    const chunks: Chunk[] = [...closing, { type: 'finish' }];
    this.#queue.push(...chunks.map((chunk, index) => ({ sequence: this.seen + 1 + index, chunk })));
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_INTERVAL);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
