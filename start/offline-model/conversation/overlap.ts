import { tokensOf } from '../reading/words.ts';

const COMMON = new Set(
  'a an and any are be can could do does for from have how i in is it me my of on or please tell that the there this to was what when where which who why will with you your'.split(
    ' ',
  ),
);

/** The words of a text that carry its meaning. */
export const wordsOf = (text: string) => new Set(tokensOf(text).filter((word) => !COMMON.has(word)));

/** Number of the wanted words in a text. */
export const shared = (wanted: ReadonlySet<string>, text: string) => [...wordsOf(text)].filter((word) => wanted.has(word)).length;

/** Share of the wanted words in a text. */
export const overlap = (wanted: ReadonlySet<string>, text: string) => shared(wanted, text) / wanted.size;
