import { randomBytes } from 'node:crypto';

/** The words of a name, joined by hyphens. A name without a Latin letter or digit leaves none, and becomes `agent`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  // Short enough for a number behind it.
  const slug = plain.replace(/[^a-z0-9]+/g, '-').slice(0, 56);
  return slug.replace(/^-|-$/g, '') || 'agent';
}

/** The slug itself, or else the first of `slug-2`, `slug-3`, … that is free. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  let number = 2;
  while (taken.has(`${slug}-${number}`)) number += 1;
  return `${slug}-${number}`;
}

/** Readable, so that embed snippets can be told apart, and with 64 random bits, so that it can be neither guessed nor taken. */
export const publicSlugOf = (slug: string) => `${slug}-${randomBytes(8).toString('hex')}`;
