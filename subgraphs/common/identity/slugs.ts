import { fail } from '../../../schema/errors.ts';
import { reservedSlugs } from '../../../schema/words.ts';

/** Throws `INVALID_INPUT` for reserved words, which other paths start with. */
export function checkSlug(slug: string): void {
  if (reservedSlugs.includes(slug)) throw fail('INVALID_INPUT', `slug must not be one of ${reservedSlugs.join(', ')}`);
}
