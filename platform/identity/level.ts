import type { EnumValue } from '../../schema/enums.ts';

/**
 * The access level that a field requires. `public` fields need no key; `operator` fields accept only operator keys. `agent` fields
 * accept members and agents; agents reach no others.
 */
export type Level = 'public' | 'user' | 'operator' | 'agent' | EnumValue<'Role'>;
/** Roles with more permissions have a higher rank. */
export const rank: Record<EnumValue<'Role'>, number> = { member: 0, admin: 1, owner: 2 };
