import { randomBytes } from 'node:crypto';

/** The words of a name, joined by hyphens. A name without Latin letters or digits becomes `agent`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  // Leave room for a numeric suffix.
  const slug = plain.replace(/[^a-z0-9]+/g, '-').slice(0, 56);
  return slug.replace(/^-|-$/g, '') || 'agent';
}

/** The slug itself, or the first of `slug-2`, `slug-3`, … that is not taken. */
export function availableSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  let number = 2;
  while (taken.has(`${slug}-${number}`)) number += 1;
  return `${slug}-${number}`;
}

/** The slug identifies the agent in an embed snippet; 64 random bits make the result unique and hard to guess. */
export const publicSlugOf = (slug: string) => `${slug}-${randomBytes(8).toString('hex')}`;
