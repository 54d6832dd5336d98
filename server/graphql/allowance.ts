import type { RequestContext } from 'compiled-gateway';
import { fail } from '../../schema/errors.ts';
import { networkOf } from '../../schema/request.ts';
import { isAnonymous } from '../request-admission.ts';

/** Milliseconds of processor time of this thread: the refill per second, and the maximum that accumulates. */
interface Share {
  readonly perSecond: number;
  readonly most: number;
}

/** A tenth of the thread for all callers without a key, and a hundredth for each network of them. */
const OF_ALL: Share = { perSecond: 100, most: 2_000 };
const OF_NETWORK: Share = { perSecond: 10, most: 1_000 };
/** Networks whose use is known. The oldest are forgotten; the share of all callers still holds. */
const MAX_NETWORKS = 10_000;

/** The milliseconds that are left of a share. Work is not interrupted, so the last may take more than was left. */
class Account {
  #left: number;
  #at: number;

  constructor(
    private readonly share: Share,
    now: number,
  ) {
    this.#left = share.most;
    this.#at = now;
  }

  hasLeft(now: number): boolean {
    this.#left = Math.min(this.share.most, this.#left + ((now - this.#at) * this.share.perSecond) / 1_000);
    this.#at = now;
    return this.#left > 0;
  }

  take(milliseconds: number): void {
    this.#left -= milliseconds;
  }
}

/** Counts the time that the documents of one caller take. */
export interface Meter {
  /** Do the work for a new document, such as its validation. Throws `RATE_LIMITED` when nothing is left. */
  spend<T>(work: () => T): T;
}

interface Clocks {
  now(): number;
  processorTime(): number;
}

const thread: Clocks = {
  now: () => performance.now(),
  // Unlike the time, it does not count that of other processes.
  processorTime() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
};

/**
 * Limits the time that new documents of callers without a key take: reading, validation, planning and compilation block the thread, so a
 * few addresses could otherwise delay the operations of all users. Documents that are known take no time.
 */
export class Allowance {
  readonly #all: Account;
  readonly #networks = new Map<string, Account>();

  /** @param clocks the time, and the processor time of this thread, in milliseconds */
  constructor(private readonly clocks: Clocks = thread) {
    this.#all = new Account(OF_ALL, clocks.now());
  }

  /** The meter of a caller without a key; undefined for others, whose keys pay points. */
  meterOf({ headers }: Pick<RequestContext, 'headers'>): Meter | undefined {
    if (!isAnonymous(headers)) return undefined;
    const network = networkOf(headers['x-client-address']);
    return { spend: (work) => this.#spend(network, work) };
  }

  #spend<T>(network: string, work: () => T): T {
    const { now, processorTime } = this.clocks;
    const at = now();
    const own = this.#accountOf(network, at);
    if (!own.hasLeft(at) || !this.#all.hasLeft(at)) throw fail('RATE_LIMITED', EXHAUSTED);
    const start = processorTime();
    try {
      return work();
    } finally {
      const taken = processorTime() - start;
      own.take(taken);
      this.#all.take(taken);
    }
  }

  #accountOf(network: string, now: number): Account {
    const known = this.#networks.get(network);
    if (known) return known;
    const [oldest] = this.#networks.keys();
    if (this.#networks.size >= MAX_NETWORKS) this.#networks.delete(oldest!);
    const account = new Account(OF_NETWORK, now);
    this.#networks.set(network, account);
    return account;
  }
}

const EXHAUSTED = 'Too many new documents without a key. Send a key, repeat a document with other variables, or try again later.';
