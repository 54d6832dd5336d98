import { setTimeout as sleep } from 'node:timers/promises';

/** Work that clients give to the system while its processes are replaced or killed. */
export interface Workload {
  /** Give work until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Wait until everything that was accepted has ended, and compare it with the database. */
  settle(): Promise<Account[]>;
}

/** The outcome of the accepted work of one kind. */
export interface Account {
  name: string;
  accepted: number;
  done: number;
  /** Accepted, but never done. */
  lost: number;
  /** Done more than once. */
  doubled: number;
  /** Ended as failed, and reported so. */
  failed?: number;
  /** Ids of work that was lost or doubled. */
  suspects?: string[];
}

const PAUSE = 200;
const MAX_ATTEMPTS = 300;
/** Different failures that are counted separately, so that a long run needs no more memory. */
const MAX_REASONS = 200;

/** Counts the requests of clients, and the failures that they saw. */
export class Attempts {
  succeeded = 0;
  readonly failures = new Map<string, number>();
  /** Milliseconds of the slowest request of each name. */
  readonly slowest = new Map<string, number>();

  get failed(): number {
    return [...this.failures.values()].reduce((sum, each) => sum + each, 0);
  }

  fail(reason: string): void {
    const name = this.failures.has(reason) || this.failures.size < MAX_REASONS ? reason : 'other failures';
    this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
  }

  /** Send a request once. Returns undefined if it failed. */
  async once<T>(name: string, ask: () => Promise<T>): Promise<T | undefined> {
    const startedAt = performance.now();
    try {
      const answer = await ask();
      this.succeeded += 1;
      return answer;
    } catch (error) {
      this.fail(`${name}: ${reasonOf(error)}`);
      return undefined;
    } finally {
      this.slowest.set(name, Math.max(this.slowest.get(name) ?? 0, performance.now() - startedAt));
    }
  }

  /** Send a request until it succeeds or the signal aborts. */
  async repeat<T>(name: string, ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    while (!signal.aborted) {
      const answer = await this.once(name, ask);
      if (answer !== undefined) return answer;
      await sleep(PAUSE);
    }
    return undefined;
  }
}

/** The message of an error and of its cause, which names the failure of the connection. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return `${message}${cause ? ` (${cause.code ?? cause.message})` : ''}`.slice(0, 200);
}

/** Fail unless the response has this status. */
export function expectStatus<T extends { status: number; body: unknown }>(answer: T, status = 200): T {
  if (answer.status !== status) throw new Error(`status ${answer.status} ${JSON.stringify(answer.body).slice(0, 120)}`);
  return answer;
}

/** Poll until the condition is true. Returns false after the timeout. A condition that throws, as during a fault, is not true. */
export async function eventually(isSo: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) return false;
    await sleep(PAUSE);
  }
  return true;
}

/** Repeat a call until it succeeds, as after a fault. Throws the last error after several minutes. */
export async function persist<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
      await sleep(1_000);
    }
  }
}
