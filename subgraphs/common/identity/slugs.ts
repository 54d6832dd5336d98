import { fail } from '../../../schema/errors.ts';
import { reservedSlugs } from '../../../schema/words.ts';

/** Paths begin with these words, so an organization of that name could not be reached. */
export function checkSlug(slug: string): void {
  if (reservedSlugs.includes(slug)) throw fail('INVALID_INPUT', `slug must not be one of ${reservedSlugs.join(', ')}`);
}
