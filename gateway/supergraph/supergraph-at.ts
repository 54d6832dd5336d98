import { publishedSupergraph } from '../registry/published-location.ts';
import { isRegistryAddress } from '../registry/registry-database.ts';
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
