import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { Deadline, type Notifications } from '../queues/index.ts';
import { log } from '../telemetry/index.ts';
import { ProviderFault } from './faults.ts';
import { JobLane, Pace, type Waiting } from './pace.ts';

/** Milliseconds that a request of a job waits in the queue. Then the item gives its slot of the worker to others. */
const MAX_WAIT = 5 * 60_000;
/** Milliseconds after which a process looks again whether a chat still waits. */
const LOOK_AGAIN = 500;

interface Owner {
  organizationId: string;
  isChat: boolean;
}

const owner = new AsyncLocalStorage<Owner>();

/** Runs work of an organization that nobody waits for, such as an item of a job. Its requests are fair by organization, and chats come first. */
export const inBackground = <T>(organizationId: string, work: () => T): T => owner.run({ organizationId, isChat: false }, work);

/** Runs work of an organization that a visitor waits for. Chats of organizations with fewer requests at the provider come first. */
export const inChat = <T>(organizationId: string, work: () => T): T => owner.run({ organizationId, isChat: true }, work);

/** The process has too many requests to the provider; this one was never sent. */
export class QueueTimeout extends ProviderFault {
  override name = 'QueueTimeout';
}

/** The permission for one request to the provider. */
export interface RequestSlot {
  /** The first token of a chat, or the answer of another request. */
  answered(): void;
  /** @returns whether other requests were answered meanwhile */
  timedOut(): boolean;
  end(): void;
}

/**
 * The requests of this process to the provider. Requests of jobs wait here instead of in a queue of the provider, where their time limit
 * would run: for the pace of their model, for other organizations, and for chats of all processes.
 */
export class RequestQueue {
  /** One for each model that the operator configured. */
  readonly #lanes = new Map<string, JobLane>();
  /** Those that wait, in the order in which they came. */
  readonly #chats: Waiting[] = [];
  /** The running chats by organization. */
  readonly #chatting = new Map<string, number>();
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #chatWaits: ChatWaits | undefined;

  /**
   * @param limit maximum concurrent requests of this process
   * @param start with which the requests of jobs begin, if the operator knows the provider
   */
  constructor(
    private readonly limit: number,
    private readonly timeoutMs: number,
    private readonly start?: number,
  ) {}

  /** Yields to chats of other processes, and announces those of this one. */
  shareWith(chatWaits: ChatWaits): void {
    this.#chatWaits = chatWaits;
  }

  /** Whether requests to a model wait. More concurrent items would only wait, too, and their job would seem to have reached a limit. */
  get isBehind(): boolean {
    return [...this.#lanes.values()].some(({ waiting }) => waiting > 0);
  }

  /** Concurrent requests to the model that this process would send. */
  sizeOf(model: string): number {
    return this.#lane(model).pace.size;
  }

  /** Waits until the request may start. Throws `QueueTimeout` after some minutes, and the reason of the signal. */
  async enter(model: string, signal?: AbortSignal): Promise<RequestSlot> {
    const { organizationId = '', isChat = true } = owner.getStore() ?? {};
    return isChat ? this.#enterChat(organizationId, signal) : this.#enterJob(organizationId, this.#lane(model), signal);
  }

  async #enterChat(organizationId: string, signal: AbortSignal | undefined): Promise<RequestSlot> {
    const stopWaiting = this.#chatWaits?.begin() ?? (() => {});
    if (this.#running >= this.limit || this.#chats.length > 0) {
      const queue = this.#chats;
      try {
        await this.#wait(this.timeoutMs, signal, (grant) => {
          const waiting = { organizationId, grant };
          queue.push(waiting);
          return () => {
            const at = queue.indexOf(waiting);
            if (at >= 0) queue.splice(at, 1);
          };
        });
      } catch (error) {
        stopWaiting();
        throw error;
      }
    } else this.#beginChat(organizationId);
    return {
      answered: stopWaiting,
      timedOut: () => false,
      end: () => {
        stopWaiting();
        const left = this.#chatting.get(organizationId)! - 1;
        if (left > 0) this.#chatting.set(organizationId, left);
        else this.#chatting.delete(organizationId);
        this.#release();
      },
    };
  }

  #beginChat(organizationId: string): void {
    this.#running += 1;
    this.#chatting.set(organizationId, (this.#chatting.get(organizationId) ?? 0) + 1);
  }

  /** Takes the chat that waits the longest among those of the organizations with the fewest running ones. */
  #nextChat(): Waiting | undefined {
    let [first, fewest]: [Waiting | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const each of this.#chats) {
      const running = this.#chatting.get(each.organizationId) ?? 0;
      if (running < fewest) [first, fewest] = [each, running];
    }
    if (first) this.#chats.splice(this.#chats.indexOf(first), 1);
    return first;
  }

  async #enterJob(organizationId: string, lane: JobLane, signal: AbortSignal | undefined): Promise<RequestSlot> {
    const request: Waiting = { organizationId, grant() {} };
    await this.#wait(MAX_WAIT, signal, (grant) => {
      request.grant = grant;
      lane.add(request);
      this.#fill();
      return () => lane.remove(request);
    });
    const paced = lane.pace.begin(lane.running);
    let isAnswered = false;
    return {
      answered: () => {
        if (!isAnswered) lane.pace.answered(paced);
        isAnswered = true;
      },
      timedOut: () => lane.pace.timedOut(paced),
      end: () => {
        lane.end(request);
        this.#release();
      },
    };
  }

  /** @param join adds the request to its queue, and returns how to remove it */
  async #wait(milliseconds: number, signal: AbortSignal | undefined, join: (grant: () => void) => () => void): Promise<void> {
    signal?.throwIfAborted();
    const deadline = new Deadline(milliseconds, signal);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = join(resolve);
    const giveUp = () => {
      leave();
      reject(signal?.aborted ? signal.reason : new QueueTimeout('it is busy'));
    };
    deadline.signal.addEventListener('abort', giveUp);
    await promise.finally(() => deadline.end());
  }

  #lane(model: string): JobLane {
    const lane = this.#lanes.get(model) ?? new JobLane(new Pace(this.limit, this.timeoutMs, this.start));
    this.#lanes.set(model, lane);
    return lane;
  }

  #release(): void {
    this.#running -= 1;
    this.#fill();
  }

  /** Starts requests until the limit is reached or nobody may start. */
  #fill(): void {
    while (this.#running < this.limit && this.#grantNext());
    if (this.#chatWaits?.isWaiting && [...this.#lanes.values()].some(({ waiting }) => waiting > 0)) this.#lookAgain();
  }

  #grantNext(): boolean {
    // Chats alone may use all slots for hours, if they are many.
    const isLate = [...this.#lanes.values()].some((lane) => lane.isLate);
    const chat = isLate ? undefined : this.#nextChat();
    if (chat) {
      this.#beginChat(chat.organizationId);
      chat.grant();
      return true;
    }
    const yields = this.#chatWaits?.isWaiting ?? false;
    for (const [model, lane] of this.#lanes) {
      if (isLate && !lane.isLate) continue;
      const request = lane.next(yields);
      if (!request) continue;
      // Models go round robin, too.
      this.#lanes.delete(model);
      this.#lanes.set(model, lane);
      this.#running += 1;
      lane.begin(request);
      request.grant();
      return true;
    }
    return false;
  }

  #lookAgain(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#fill();
    }, LOOK_AGAIN).unref();
  }
}

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
