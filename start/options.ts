import { InvalidArgumentError, Option } from 'commander';
import { words } from '../schema/words.ts';
import { checkSlug } from '../subgraphs/common/identity/slugs.ts';

/** Readers of command line options; each throws a sentence that says what is expected. */
export const read = {
  date(text: string): Date {
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('Write a date as 2030-01-01.');
    return date;
  },
  newCredits(text: string): number {
    const credits = Number(text);
    if (!(credits > 0 && credits <= 1e9)) throw new InvalidArgumentError('Credits are a number above 0.');
    return credits;
  },
  credits(text: string): number {
    const credits = Number(text);
    if (!(Math.abs(credits) > 0 && Math.abs(credits) <= 1e9)) throw new InvalidArgumentError('Credits are a number other than 0.');
    return credits;
  },
  slug(text: string): string {
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(text))
      throw new InvalidArgumentError('A slug is lower-case letters, digits and hyphens.');
    try {
      checkSlug(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
    return text;
  },
  text: (maxLength: number) => (text: string) => {
    if (text.length < 1 || text.length > maxLength) throw new InvalidArgumentError(`Write 1 to ${maxLength} characters.`);
    return text;
  },
  /** The part of a key that the database stores. */
  prefix(text: string): string {
    if (!/^ck_[\w-]{7}/.test(text)) throw new InvalidArgumentError('A key begins with ck_; write at least 10 characters of it.');
    return text.slice(0, 10);
  },
  email(text: string): string {
    if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) throw new InvalidArgumentError('Write an e-mail address.');
    return text;
  },
};

export const planOption = () => new Option('--plan <plan>').choices(words.Plan.values);
