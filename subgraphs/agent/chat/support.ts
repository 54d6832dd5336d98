import { truncate } from '../../../schema/text.ts';

/** Share of the words of a sentence that its passages must contain. */
const ENOUGH = 0.5;
const MAX_CHECKED = 20_000;
const CITATIONS = /\[(\d{1,3}(?:\s{0,3},\s{0,3}\d{1,3}){0,9})\]/g;
/** A sentence with the citations that follow it. */
const SENTENCE = /[^.!?\n]+(?:[.!?]{1,3}(?=\s|\[|$)|[.!?](?=\S)[^.!?\n]*)*(?:\s{0,9}\[[\d,\s]{1,16}\])*[.!?]*/g;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * The sentences of an answer that the passages they cite do not support: they share too few words with them, or contain another number.
 * Sentences without a citation are not checked.
 */
export function unsupportedSentences(answer: string, passages: readonly { title: string | null; text: string }[]): string[] {
  if (passages.length === 0) return [];
  const material = passages.map(materialOf);
  return [...condensed(answer).matchAll(SENTENCE)].flatMap(([written]) => {
    const cited = [...written.matchAll(CITATIONS)].flatMap(([, list]) => list!.split(',').map(Number));
    // Other bracketed numbers belong to the answer.
    if (cited.length === 0 || cited.some((number) => number < 1 || number > passages.length)) return [];
    const sentence = written
      .replace(CITATIONS, '')
      .replace(/(?<!\s)\s{1,9}([.!?])/g, '$1')
      .trim();
    const about = [...new Set(cited)].map((number) => material[number - 1]!);
    return isSupported(sentence, about) ? [] : [sentence];
  });
}

/** Short runs of spaces and punctuation, and a limited length, keep the patterns linear. */
const condensed = (answer: string): string =>
  truncate(answer, MAX_CHECKED)
    .replace(/[.!?]{4,}/g, (run) => run.slice(0, 3))
    .replace(/[^\S\n]{3,}/g, ' ')
    .replace(/\n{3,}/g, '\n\n');

interface Material {
  text: string;
  stems: ReadonlySet<string>;
}

function materialOf({ title, text }: { title: string | null; text: string }): Material {
  const all = `${title ?? ''} ${text}`;
  return { text: all, stems: new Set(stemsOf(all)) };
}

function isSupported(sentence: string, material: readonly Material[]): boolean {
  const words = stemsOf(sentence).filter((word) => word.length > 3);
  const numbers = sentence.match(/\d+(?:[.,]\d+)*/g) ?? [];
  if (numbers.some((number) => !material.some(({ text }) => text.includes(number)))) return false;
  const known = words.filter((word) => material.some(({ stems }) => stems.has(word)));
  return known.length >= words.length * ENOUGH;
}

/** The first letters of each word, which inflections share. */
const stemsOf = (text: string): string[] => (text.toLowerCase().match(WORD) ?? []).map((word) => word.slice(0, 5));
