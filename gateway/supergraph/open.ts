import { supergraphFile } from './file.ts';
import type { LocationOptions, SupergraphLocation } from './location.ts';
import { supergraphUrl } from './url.ts';

/** The location that a setting names: an address of `http` or `https`, or else a file. Throws a predicate for an address it cannot use. */
export const supergraphAt = (location: string, options: LocationOptions = {}): SupergraphLocation =>
  /^https?:/i.test(location) ? supergraphUrl(location, options) : supergraphFile(location);
