import { InvalidArgumentError, Option } from 'commander';
import { checkSlug } from '../../platform/identity/accounts.ts';
import { enums } from '../../schema/enums.ts';

/** Parsers of command-line options. Each throws an error that names the expected format. */
export const read = {
  date(text: string): Date {
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('A date must have the form 2030-01-01.');
    return date;
  },
  newCredits(text: string): number {
    const credits = Number(text);
    if (!(credits > 0 && credits <= 1e9)) throw new InvalidArgumentError('Credits must be a number above 0.');
    return credits;
  },
  credits(text: string): number {
    const credits = Number(text);
    if (!(Math.abs(credits) > 0 && Math.abs(credits) <= 1e9))
      throw new InvalidArgumentError('Credits must be a number other than 0.');
    return credits;
  },
  bytes(text: string): number {
    const bytes = Number(text);
    if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > 1e15)
      throw new InvalidArgumentError('Bytes must be a whole number from 0 to 10^15.');
    return bytes;
  },
  slug(text: string): string {
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(text))
      throw new InvalidArgumentError('A slug consists of lower-case letters, digits and hyphens.');
    try {
      checkSlug(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
    return text;
  },
  text: (maxLength: number) => (text: string) => {
    if (text.length < 1 || text.length > maxLength) throw new InvalidArgumentError(`Must have 1 to ${maxLength} characters.`);
    return text;
  },
  /** The prefix of a key, which the database stores. */
  prefix(text: string): string {
    if (!/^ck_[\w-]{7}/.test(text))
      throw new InvalidArgumentError('A key begins with ck_; enter at least its first 10 characters.');
    return text.slice(0, 10);
  },
  email(text: string): string {
    if (!/^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/.test(text)) throw new InvalidArgumentError('Must be an e-mail address.');
    return text;
  },
};

export const planOption = () => new Option('--plan <plan>').choices(enums.Plan.values);
