import { truncate } from '../../../schema/text.ts';

/** Share of the words of a sentence that its passages must contain. */
const ENOUGH = 0.5;
const MAX_CHECKED = 100_000;
const CITATIONS = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g;
/** A sentence with the citations that follow it. */
const SENTENCE = /[^.!?\n]+(?:[.!?]+(?=\s|\[|$)|[.!?](?=\S)[^.!?\n]*)*(?:\s*\[[\d,\s]{1,16}\])*[.!?]*/g;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * The sentences of an answer that the passages they cite do not support: they share too few words with them, or contain another number.
 * Sentences without a citation are not checked.
 */
export function unsupportedSentences(answer: string, passages: readonly { title: string | null; text: string }[]): string[] {
  if (passages.length === 0) return [];
  return [...condensed(answer).matchAll(SENTENCE)].flatMap(([written]) => {
    const cited = [...written.matchAll(CITATIONS)].flatMap(([, list]) => list!.split(',').map(Number));
    // Other bracketed numbers belong to the answer.
    if (cited.length === 0 || cited.some((number) => number < 1 || number > passages.length)) return [];
    const sentence = written
      .replace(CITATIONS, '')
      .replace(/\s+([.!?])/g, '$1')
      .trim();
    const material = cited.map((number) => passages[number - 1]).map((passage) => `${passage?.title ?? ''} ${passage?.text ?? ''}`);
    return isSupported(sentence, material.join(' ')) ? [] : [sentence];
  });
}

/** Short runs of spaces and punctuation, and a limited length, keep the patterns linear. */
const condensed = (answer: string): string =>
  truncate(answer, MAX_CHECKED)
    .replace(/[.!?]{4,}/g, (run) => run.slice(0, 3))
    .replace(/[^\S\n]{3,}/g, ' ')
    .replace(/\n{3,}/g, '\n\n');

function isSupported(sentence: string, material: string): boolean {
  const known = new Set(stemsOf(material));
  const words = stemsOf(sentence).filter((word) => word.length > 3);
  const numbers = sentence.match(/\d+(?:[.,]\d+)*/g) ?? [];
  if (numbers.some((number) => !material.includes(number))) return false;
  return words.length === 0 || words.filter((word) => known.has(word)).length >= words.length * ENOUGH;
}

/** The first letters of each word, which inflections share. */
const stemsOf = (text: string): string[] => (text.toLowerCase().match(WORD) ?? []).map((word) => word.slice(0, 5));
