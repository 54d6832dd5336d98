import type { SupergraphLocation } from '../supergraph/location.ts';
import { currentSupergraph, supergraphBefore } from './published-schemas.ts';
import { type OpenRegistry, openRegistry, registryAddress } from './registry-database.ts';

/** Milliseconds of a connection or a statement. */
const TIMEOUT = 10_000;
const UNDEFINED_TABLE = '42P01';

/** The newest schema that was published in a registry. Throws a predicate for an unusable address. */
export function publishedSupergraph(address: string, pollInterval = 10_000): SupergraphLocation {
  const { name } = registryAddress(address);
  let opening: Promise<OpenRegistry> | undefined;
  let last: string | undefined;
  let earliest = Number.MAX_SAFE_INTEGER;

  const get = async (known?: string): Promise<string | undefined> => {
    const newest = await newestIn(known);
    if (!newest) throw new Error('has no published schema');
    last = newest.key;
    earliest = newest.version;
    return newest.supergraph ?? undefined;
  };
  const newestIn = (known?: string) => asked((registry) => currentSupergraph(registry, known));
  const asked = async <T>(ask: (registry: OpenRegistry) => Promise<T>): Promise<T | undefined> => {
    try {
      opening ??= openRegistry(address, { connections: 1, timeout: TIMEOUT });
      return await ask(await opening);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code === UNDEFINED_TABLE) return undefined;
      throw new Error(`cannot be read: ${message || code}`, { cause: error });
    }
  };
  return {
    name,
    interval: pollInterval,
    read: async () => (await get())!,
    readChange: () => get(last),
    async readEarlier() {
      const found = await asked((registry) => supergraphBefore(registry, earliest));
      if (found) earliest = found.version;
      return found?.supergraph;
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
