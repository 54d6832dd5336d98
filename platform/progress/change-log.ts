import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../scope/index.ts';

/** One numbered change of a record. */
export interface Change {
  sequence: number;
  status: string;
}

/** A table with the numbered changes of records, which subscribers follow. Notifications only trigger reads of it. */
export interface ChangeLog<C extends Change, U extends Change> {
  /** Notification channel that announces a new change by the id of its record. */
  channel: string;
  /**
   * Makes the changes of a record notify for the next 10 minutes. It locks the same row as the changes, so a read that follows sees each
   * change that did not notify. Without it, all changes notify.
   */
  watch?(scope: Scope, id: string): Promise<void>;
  /** One page of the changes after `after`, up to and including `upTo`, in order. */
  read(scope: Scope, id: string, after: number, upTo?: number): Promise<C[]>;
  /** Whether the log has each change after `after`, which is below the current number. Without it, the log keeps all changes. */
  retains?(scope: Scope, id: string, after: number): Promise<boolean>;
  /** Merges consecutive changes into updates. */
  merge(changes: C[]): Iterable<U>;
  isEnded(status: string): boolean;
  /** Whether no change will follow `seen`. */
  hasEnded(scope: Scope, id: string, seen: number): Promise<boolean>;
}

/** Maximum number of changes per read. */
export const PAGE_SIZE = 500;

/** Retries for a minute, so that subscribers survive a short database outage. */
export async function withRetry<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (tries === 60) throw error;
      await sleep(1_000);
    }
  }
}
