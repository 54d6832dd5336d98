import { fail } from '../../schema/errors.ts';
import { reservedSlugs } from '../../schema/words.ts';
import { isId } from '../database/index.ts';

/** Throws `INVALID_INPUT` for reserved words, which other paths start with, and for ids, which name organizations in the same places. */
export function checkSlug(slug: string): void {
  if (reservedSlugs.includes(slug)) throw fail('INVALID_INPUT', `slug must not be one of ${reservedSlugs.join(', ')}`);
  if (isId(slug)) throw fail('INVALID_INPUT', 'slug must not have the form of an id');
}
