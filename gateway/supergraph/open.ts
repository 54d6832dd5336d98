import { supergraphFile } from './file.ts';
import type { LocationOptions, SupergraphLocation } from './location.ts';
import { supergraphUrl } from './url.ts';

/** Create the location of a setting: an `http` or `https` address, otherwise a file. Throws a predicate for an unusable address. */
export const supergraphAt = (location: string, options: LocationOptions = {}): SupergraphLocation =>
  /^https?:/i.test(location) ? supergraphUrl(location, options) : supergraphFile(location);
