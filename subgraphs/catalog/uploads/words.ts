import type { FilePage } from './pages.ts';

/** Words of one page, and of one name, that the index knows. */
const [MAX_PAGE_WORDS, MAX_NAME_WORDS] = [4_000, 12];

/** The distinct words of a page, as hashes. */
export function wordsOfPage(page: FilePage): Set<number> {
  const texts = page.kind === 'text' ? [page.text] : page.kind === 'table' ? [...page.columns, ...page.rows.flat()] : [];
  return distinctWords(texts, MAX_PAGE_WORDS);
}

/** The distinct words of a name, as hashes. */
export const wordsOfName = (name: string): number[] => [...distinctWords([name], MAX_NAME_WORDS)];

function distinctWords(texts: readonly string[], limit: number): Set<number> {
  const found = new Set<number>();
  for (const text of texts) {
    for (const word of wordsOf(text)) {
      if (found.size >= limit) return found;
      found.add(word);
    }
  }
  return found;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words. Two letters at a time stand for their words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function* wordsOf(text: string): Generator<number> {
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (word.length < 2 || !UNSPACED.test(word)) yield hashOf(word, 0, word.length);
    else for (let at = 0; at + 1 < word.length; at += 1) yield hashOf(word, at, at + 2);
  }
}

/** FNV-1a, as a signed integer of 32 bits. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** Stands for the pages of a word that many pages of a file have. */
export const EVERYWHERE = -1;

/**
 * How many of the names each page of a file has, by place. A page has a name if it has all of its words; words of many pages
 * do not count.
 * @param placesOf the pages of the file that have a word; undefined if there are none
 */
export function countMentions(
  names: readonly (readonly number[])[],
  placesOf: (word: number) => readonly number[] | undefined,
): Map<number, number> {
  const mentions = new Map<number, number>();
  for (const name of names) {
    const lists = name.map((word) => placesOf(word) ?? []).filter((places) => places[0] !== EVERYWHERE);
    const [first = [], ...others] = lists.map((places) => new Set(places));
    for (const place of first) if (others.every((places) => places.has(place))) mentions.set(place, (mentions.get(place) ?? 0) + 1);
  }
  return mentions;
}
