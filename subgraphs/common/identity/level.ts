import type { Word } from '../../../schema/words.ts';

/** The least that a caller must be to run a field. `public` fields take no key; `operator` fields take only an operator's. */
export type Level = 'public' | 'user' | 'operator' | Word<'Role'>;
/** Who may more has the greater number. */
export const rank: Record<Word<'Role'>, number> = { member: 0, admin: 1, owner: 2 };
