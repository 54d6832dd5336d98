import { ConfigurationError } from '../../schema/environment.ts';

/** Run every reader. Throws one `ConfigurationError` with the faults of all. */
export async function readAll<T extends Record<string, () => unknown>>(
  readers: T,
): Promise<{ [K in keyof T]: Awaited<ReturnType<T[K]>> }> {
  const faults = new Set<string>();
  const results: Partial<Record<keyof T, unknown>> = {};
  for (const name in readers) {
    try {
      results[name] = await readers[name]!();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      for (const fault of error.faults) faults.add(fault);
    }
  }
  if (faults.size > 0) throw new ConfigurationError([...faults]);
  return results as { [K in keyof T]: Awaited<ReturnType<T[K]>> };
}
