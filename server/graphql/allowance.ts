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
/** Half of the thread for each organization, however many keys it has. */
const OF_ORGANIZATION: Share = { perSecond: 500, most: 10_000 };
/** Networks and organizations whose use is known. The oldest are forgotten; the share of all callers without a key still holds. */
const MAX_ACCOUNTS = 10_000;

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
  /** Whether the caller has no key. */
  readonly isAnonymous: boolean;
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
 * Limits the time that new documents take: reading, validation, planning and compilation block the thread, so a few addresses or keys could
 * otherwise delay the operations of all users. Documents that are known take no time.
 */
export class Allowance {
  readonly #all: Account;
  readonly #accounts = new Map<string, Account>();

  /** @param clocks the time, and the processor time of this thread, in milliseconds */
  constructor(private readonly clocks: Clocks = thread) {
    this.#all = new Account(OF_ALL, clocks.now());
  }

  /** The meter of an admitted caller. */
  meterOf({ headers, owner }: Pick<RequestContext, 'headers' | 'owner'>): Meter {
    if (!isAnonymous(headers)) return this.#meter(`organization ${owner}`, OF_ORGANIZATION);
    return this.#meter(`network ${networkOf(headers['x-client-address'])}`, OF_NETWORK, this.#all);
  }

  #meter(name: string, share: Share, all?: Account): Meter {
    const { now, processorTime } = this.clocks;
    return {
      isAnonymous: all !== undefined,
      spend: (work) => {
        const at = now();
        const own = this.#accountOf(name, share, at);
        if (!own.hasLeft(at) || all?.hasLeft(at) === false) throw fail('RATE_LIMITED', EXHAUSTED);
        const start = processorTime();
        try {
          return work();
        } finally {
          const taken = processorTime() - start;
          own.take(taken);
          all?.take(taken);
        }
      },
    };
  }

  #accountOf(name: string, share: Share, now: number): Account {
    const known = this.#accounts.get(name);
    if (known) return known;
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size >= MAX_ACCOUNTS) this.#accounts.delete(oldest!);
    const account = new Account(share, now);
    this.#accounts.set(name, account);
    return account;
  }
}

const EXHAUSTED = 'Too many new documents. Repeat a document with other variables, send a key, or try again later.';
