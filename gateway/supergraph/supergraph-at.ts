import { currentSupergraph, supergraphBefore } from '../registry/published-schemas.ts';
import { isRegistryAddress, type OpenRegistry, openRegistry, registryAddress } from '../registry/registry-database.ts';
import { type LocationOptions, type SupergraphLocation, supergraphFile, supergraphUrl } from './location.ts';

/**
 * Create the location of a setting: an `http` or `https` address, the `postgres` address of a registry, otherwise a file. Throws a predicate for an
 * unusable address.
 */
export function supergraphAt(location: string, options: LocationOptions = {}): SupergraphLocation {
  if (isRegistryAddress(location)) return publishedSupergraph(location, options.pollInterval);
  return isAddress(location) ? supergraphUrl(location, options) : supergraphFile(location);
}

/** Read the SDL at a location once. The message of a failure names the location. */
export async function sdlAt(place: string): Promise<string> {
  const location = supergraphAt(place);
  try {
    return await location.read();
  } catch (error) {
    throw new Error(`${location.name} ${(error as Error).message}`, { cause: error });
  } finally {
    await location.close();
  }
}

/** Whether a location is no file. */
export const isAddress = (location: string): boolean => isRegistryAddress(location) || /^https?:/i.test(location);

/** Milliseconds of a connection or a statement. */
const TIMEOUT = 10_000;
const UNDEFINED_TABLE = '42P01';

/** The newest schema that was published in a registry. Throws a predicate for an unusable address. */
function publishedSupergraph(address: string, pollInterval = 10_000): SupergraphLocation {
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
