import type { Word } from '../../../schema/words.ts';

/** How much a caller must be to run a field. `public` fields take no key. */
export type Level = 'public' | 'user' | Word<'Role'>;
/** Who may more has the greater number. */
export const rank: Record<Word<'Role'>, number> = { member: 0, admin: 1, owner: 2 };
