/** Rejects while a dependency is unreachable. The signal aborts at the timeout of the check. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<unknown>;

/** The checks of a process, one for each dependency, by a name that is public. */
export type Checks = Readonly<Record<string, ReadinessCheck>>;

/** The body of `/readyz`: status 200 for `ready`, 503 otherwise. */
export type Readiness = { status: 'ready' | 'closing' } | { status: 'unavailable'; missing: string[] };

/** Timeout of each check. */
const TIMEOUT_MS = 2_000;

export interface ReadinessOptions {
  /** Aborts when the process begins to shut down. */
  leaving?: AbortSignal;
  /** Called for each unreachable dependency, with the reason, which only the log may show. */
  onMissing?: (name: string, error: unknown) => void;
}

/** Run all checks in parallel. Concurrent callers share one run, so that probes cannot pile up. */
export function readinessOf(checks: Checks, { leaving, onMissing }: ReadinessOptions): () => Promise<Readiness> {
  const run = async (): Promise<Readiness> => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await withTimeout(check);
          return [];
        } catch (error) {
          onMissing?.(name, error);
          return [name];
        }
      }),
    );
    const missing = results.flat();
    return missing.length > 0 ? { status: 'unavailable', missing } : { status: 'ready' };
  };
  let running: Promise<Readiness> | undefined;
  return async () => {
    if (leaving?.aborted) return { status: 'closing' };
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** A check may ignore its signal, so the timeout also ends the wait. */
async function withTimeout(check: ReadinessCheck): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const timeout = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  await Promise.race([check(signal), timeout]);
}
