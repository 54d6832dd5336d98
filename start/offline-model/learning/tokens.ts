/** A word, number or punctuation mark of a text. */
export interface Token {
  /** Lower case, with numbers unified. */
  key: string;
  /** Class of the spelling, for words that no example contains. */
  shape: string;
  start: number;
  end: number;
}

const WORD = /\d+(?:[.,]\d+)*|[\p{L}\p{N}]+(?:['’&.-][\p{L}\p{N}]+)*|[^\s\p{L}\p{N}]/gu;
const NUMBER = /^\d+(?:[.,]\d+)*$/;

export const tokenize = (text: string): Token[] =>
  [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    key: keyOf(word),
    shape: shapeOf(word),
    start: index,
    end: index + word.length,
  }));

const keyOf = (word: string) => (NUMBER.test(word) ? '0' : word.toLowerCase().replace(/\d+/g, '0'));

function shapeOf(word: string): string {
  if (NUMBER.test(word)) return 'number';
  if (!/[\p{L}\p{N}]/u.test(word)) return `mark ${word}`;
  if (/\d/.test(word)) return /^\d/.test(word) ? 'number and letters' : 'letters and number';
  if (word.length > 1 && word === word.toUpperCase()) return 'capitals';
  if (/^\p{Lu}/u.test(word)) return 'capitalized';
  return 'lower case';
}
