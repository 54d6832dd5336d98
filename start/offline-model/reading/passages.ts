import { trimCharacters } from '../../../subgraphs/catalog/extraction/constraints.ts';
import type { Material } from '../../../subgraphs/catalog/extraction/extraction-prompt.ts';

/** A `Label: value` line, a table row, or a heading followed by its value. */
export interface Pair {
  label: string;
  value: string;
  quote: string;
  source: string | null;
}

export interface Sentence {
  text: string;
  /** Prose about the product; not a list item or page navigation. */
  prose: boolean;
  source: string | null;
}

export interface Passages {
  pairs: Pair[];
  sentences: Sentence[];
}

/** Split the sources into passages, in order, with the product's own fields last. */
export function passagesOf({ product, sources }: Material): Passages {
  const read = sources.map(({ id, text }) => readText(String(text), id));
  const fields = Object.entries(product).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return {
    pairs: [
      ...read.flatMap(({ pairs }) => pairs),
      ...fields.map(([label, value]) => ({ label, value, quote: value, source: null })),
    ],
    sentences: [
      ...read.flatMap(({ sentences }) => sentences),
      ...fields.filter(([label]) => label === 'name').map(([, text]) => ({ text, prose: false, source: null })),
    ],
  };
}

/** Shortens runs of white space, on which the patterns below would take polynomial time. Tabs and double spaces separate labels. */
const oneSpaced = (line: string) => line.replace(/\s+/g, (run) => (run.includes('\t') ? '\t' : run.length > 1 ? '  ' : ' '));

function readText(text: string, source: string): Passages {
  const lines = text
    .split(/\r?\n/)
    .map((line) => trimCharacters(oneSpaced(line.replaceAll('**', '')), /[\s|•*–—-]/, /[\s|]/))
    .filter(Boolean);
  const pairs = lines.flatMap((line, index) => pairsOf(line, lines[index + 1]).map((pair) => ({ ...pair, source })));
  const sentences = lines.flatMap((line) => sentencesOf(line).map((each) => ({ text: each, prose: isAboutIt(each), source })));
  return { pairs, sentences };
}

/** Boilerplate of pages, and text that addresses the model instead of the buyer. */
const BESIDE =
  /cookie|©|all rights reserved|newsletter|add to (?:basket|cart)|sign in|log in|\b(?:orders?|shipped|shipping|delivery)\b|\b(?:ignore|disregard|forget)\b.{0,200}\b(?:instruction|prompt|above|previous|old)/i;
const isAboutIt = (sentence: string) => /^[\p{Lu}\p{N}].*[.!]$/u.test(sentence) && !BESIDE.test(sentence);

/** Sentence end, but not after an abbreviation or a number: 'approx. 2 kg', 'No. 5'. */
const END = /(?<=[.!?])(?<!\b(?:approx|ca|max|min|incl|excl|no|nr|art|e\.g|i\.e|dia|vol)\.)\s+(?=["“(]?[\p{Lu}\p{N}])/iu;

export const sentencesOf = (line: string) =>
  line
    .split(END)
    .map((each) => each.trim())
    .filter(Boolean);

/** A label is short, starts with a letter, and is not a sentence. */
const LABEL = String.raw`\p{L}(?:[^:=|\t;.!?]|\.(?=\s\p{Ll})){0,39}?(?:\([^)]{1,24}\))?\.?`;
const SEPARATED = new RegExp(String.raw`^(${LABEL})\s*(?::|=|\t+|\||\s[–—-]\s|\s{2,}|\.{3,})\s*(\S.*)$`, 'su');
const LONE_LABEL = /^\p{L}[^:!?]{0,38}:?(?<!\.)$/u;

/** The first row of a table names its columns. */
const HEADING = /^(?:property|attribute|feature|specification|name) (?:value|details?)$/i;

function pairsOf(line: string, next: string | undefined): Omit<Pair, 'source'>[] {
  // A line may contain several pairs: 'Weight: 1.2 kg; Voltage: 18 V'.
  const parts = line.split(/\s{0,9}[;•·]\s{0,9}|\s{1,9}[|/]\s{1,9}/);
  const several = parts.length > 1 && parts.filter((part) => part.includes(':')).length === parts.length;
  const pairs = (several ? parts : [line]).flatMap((part) => {
    const [, label, value] = SEPARATED.exec(part) ?? [];
    if (label && value && HEADING.test(`${label} ${value}`)) return [];
    return label && value && label.split(/\s+/).length <= 6
      ? [{ label, value: value.replace(/\s{0,9}\|\s{0,9}/g, ', '), quote: part }]
      : [];
  });
  if (pairs.length > 0 || !next || !LONE_LABEL.test(line) || SEPARATED.test(next)) return pairs;
  return next.length <= 120 && line.split(/\s+/).length <= 6 ? [{ label: line, value: next, quote: next }] : [];
}
