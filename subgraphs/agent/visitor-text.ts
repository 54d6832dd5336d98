import { EMAIL } from '../../platform/fields/index.ts';
import { fail } from '../../schema/errors.ts';

/** Trim text; empty text becomes null. */
export const textOrNull = (text: string | null | undefined): string | null => text?.trim() || null;

/** The name of a member of the team for visitors. A user without a name is named by the e-mail address, which visitors must not see. */
export const teamName = (name: string): string => (name.includes('@') ? 'Support' : name.trim() || 'Support');

/** Trim an e-mail address; empty text becomes null. Throws `INVALID_INPUT` if it is malformed. */
export function emailOrNull(text: string | null | undefined, name = 'email'): string | null {
  const email = textOrNull(text);
  if (email && !EMAIL.pattern.test(email)) throw fail('INVALID_INPUT', `${name} must be an e-mail address`);
  return email;
}
