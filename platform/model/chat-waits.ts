import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Notifications } from '../queues/index.ts';
import { log } from '../telemetry/index.ts';

const CHANNEL = 'chat_waits';
/** Milliseconds that a chat waits before other processes learn of it. A provider that answers sooner has no queue. */
const ANNOUNCE_AFTER = 100;
/** Milliseconds between two announcements while chats wait, and until one expires, in case its process ends. */
const [RENEW_AFTER, EXPIRES_AFTER] = [2_000, 5_000];
/** Milliseconds after the last chat. A reply often makes several requests in a row. */
const LINGER = 300;

/**
 * Tells all processes that chats wait for the provider, so that jobs yield. A process announces the first of its chats that wait, not
 * each one. A lost notification only delays a chat or a job.
 */
export class ChatWaits {
  readonly #id = randomUUID();
  /** When the announcements of other processes expire. */
  readonly #others = new Map<string, number>();
  readonly #stopListening: () => void;
  #waiting = 0;
  #isAnnounced = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param provider the host of the provider; processes with another one are not concerned */
  constructor(
    private readonly pool: Pool,
    notifications: Notifications,
    private readonly provider: string,
  ) {
    this.#stopListening = notifications.on(CHANNEL, (payload) => this.#hear(payload));
  }

  /** Whether a chat of any process waits for the provider. */
  get isWaiting(): boolean {
    const now = performance.now();
    for (const [id, expiry] of this.#others) if (expiry <= now) this.#others.delete(id);
    return this.#waiting > 0 || this.#others.size > 0;
  }

  /** A chat waits until the returned function is called. */
  begin(): () => void {
    let isWaiting = true;
    this.#waiting += 1;
    this.#timer ??= this.#updateAfter(ANNOUNCE_AFTER);
    return () => {
      if (!isWaiting) return;
      isWaiting = false;
      this.#waiting -= 1;
      if (this.#waiting > 0 || !this.#isAnnounced) return;
      clearTimeout(this.#timer);
      this.#timer = this.#updateAfter(LINGER);
    };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#stopListening();
  }

  #updateAfter(milliseconds: number): NodeJS.Timeout | undefined {
    return this.#isClosed ? undefined : setTimeout(() => this.#update(), milliseconds).unref();
  }

  #update(): void {
    this.#timer = undefined;
    const isWaiting = this.#waiting > 0;
    if (isWaiting) this.#timer = this.#updateAfter(RENEW_AFTER);
    if (isWaiting || this.#isAnnounced) void this.#announce(isWaiting);
    this.#isAnnounced = isWaiting;
  }

  async #announce(isWaiting: boolean): Promise<void> {
    const payload = [this.#id, isWaiting ? 'waits' : 'done', this.provider].join(' ');
    // Notifications serialize commits, so this one does not wait for the disk.
    await this.pool
      .query(`select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`, [CHANNEL, payload])
      .catch((error: unknown) => log.debug({ err: error }, 'Failed to announce a waiting chat'));
  }

  #hear(payload: string): void {
    const [id, state, provider] = payload.split(' ');
    if (!id || id === this.#id || provider !== this.provider) return;
    if (state === 'waits') this.#others.set(id, performance.now() + EXPIRES_AFTER);
    else this.#others.delete(id);
  }
}
