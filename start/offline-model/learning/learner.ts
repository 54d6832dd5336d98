import type { AttributeContent } from '../../../subgraphs/catalog/attributes/attribute-content.ts';
import type { Material } from '../../../subgraphs/catalog/extraction/extraction-prompt.ts';
import type { Finding } from '../reading/extraction-request.ts';
import { escaped } from '../reading/synonyms.ts';
import { Tagger, tokenize } from './tagger.ts';

/** Longer sources are pages, in which a title's words mean something else. */
const MAX_TEXT = 1_000;

/** Reads the values of text attributes by what people accepted for similar products. It knows nearest neighbors and patterns, no language. */
export class Learner {
  readonly #lessons = new Map<string, Lesson>();
  readonly #tagger: Tagger;
  readonly #tags = new Map<string, ReturnType<Tagger['tag']>>();
  readonly #texts: { id: string; text: string }[];

  constructor({ known = {}, examples = [], sources }: Material, properties: readonly string[]) {
    this.#texts = sources.map(({ id, text }) => ({ id, text: String(text) })).filter(({ text }) => text.length <= MAX_TEXT);
    const records = examples.map(({ text, values }) => ({ text: withoutLines(text), values: textsOf(values) }));
    for (const property of properties) {
      const ofExamples = records.map(({ text, values }) => ({ text, value: values.get(property) }));
      const values = [...new Set([...(known[property] ?? []), ...ofExamples.flatMap(({ value }) => value ?? [])])];
      if (values.length > 0) this.#lessons.set(property, { values, examples: ofExamples });
    }
    this.#tagger = new Tagger(
      records.map(({ text, values }) => ({ text, values: [...values].map(([label, value]) => ({ label, value })) })),
      [...this.#lessons].flatMap(([label, { values }]) => values.map((value) => ({ label, value }))),
    );
  }

  /** The most likely value of an attribute in the first source that has one. */
  find(property: string): Finding | undefined {
    const lesson = this.#lessons.get(property);
    if (!lesson) return undefined;
    for (const { id, text } of this.#texts) {
      const tags = this.#tags.get(id) ?? this.#tagger.tag(text);
      this.#tags.set(id, tags);
      const found = bestCandidate(text, property, lesson, tags);
      if (!found) continue;
      const confidence = Math.round(100 * Math.min(0.95, found.likelihood));
      return { value: text.slice(found.start, found.end), confidence, source: id, quote: lineAround(text, found) };
    }
    return undefined;
  }
}

/** The text of an example starts with its name, which may be only a number. */
const withoutLines = (text: string) =>
  text.split('\n').reduce((longest, line) => (line.length > longest.length ? line : longest), '');

const textsOf = (values: Readonly<Record<string, AttributeContent>>) =>
  new Map(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

function lineAround(text: string, { start, end }: { start: number; end: number }): string {
  const from = text.lastIndexOf('\n', start) + 1;
  const to = text.indexOf('\n', end);
  return text.slice(from, to < 0 ? undefined : to);
}

/** A part of the text that may be the value, with the likelihood that it is. */
interface Candidate {
  start: number;
  end: number;
  likelihood: number;
  /** Whether the candidate comes from the known values, and not from the tagger. */
  isKnown: boolean;
}

/** An example that has a value for the attribute, or that lacks one. */
interface Example {
  text: string;
  value?: string;
}

interface Lesson {
  /** Accepted values, most frequent first. */
  values: readonly string[];
  examples: readonly Example[];
}

/** Likelihoods were measured on the annotated titles of `docs/evaluation.md`. */
const LIKELIHOOD = { mostFrequent: 0.6, leastFrequent: 0.4, pattern: 0.55, tagged: 0.5, inflected: 0.5, leading: 0.55 };
/** Added if the tagger agrees; subtracted if a longer candidate contains this one. */
const [AGREEMENT, CONTAINED] = [0.25, 0.3];
/** Weight of an example that contains a value, but has none for the attribute. */
const UNLABELED = 0.5;
const MIN_LIKELIHOOD = 0.3;

/** The most likely value of an attribute in a text: a known value, one of a known pattern, or a span of the tagger. */
function bestCandidate(text: string, label: string, lesson: Lesson, tagged: ReturnType<Tagger['tag']>): Candidate | undefined {
  const candidates = [
    ...knownIn(text, lesson),
    ...inflectedIn(text, lesson),
    ...patternsIn(text, lesson),
    ...leadingWords(text, lesson),
  ];
  for (const span of tagged.filter((each) => each.label === label)) {
    const same = candidates.find(({ start, end }) => start === span.start && end === span.end);
    if (same) same.likelihood += AGREEMENT;
    else candidates.push({ start: span.start, end: span.end, likelihood: LIKELIHOOD.tagged, isKnown: false });
  }
  const contained = (one: Candidate) =>
    candidates.some(
      (each) => each.isKnown && each.start <= one.start && each.end >= one.end && each.end - each.start > one.end - one.start,
    );
  const [best] = candidates
    .map((each) => ({ ...each, likelihood: each.likelihood - (contained(each) ? CONTAINED : 0) }))
    .sort((a, b) => b.likelihood - a.likelihood || a.start - b.start);
  return best && best.likelihood > MIN_LIKELIHOOD ? best : undefined;
}

/** Known values in the text. The examples tell how often a value that occurs in a text is the value of the attribute. */
function knownIn(text: string, { values, examples }: Lesson): Candidate[] {
  return values.flatMap((value, rank) => {
    const places = placesOf(value, text);
    if (places.length === 0) return [];
    const containing = examples.filter((each) => placesOf(value, each.text).length > 0);
    const labeled = containing.filter((each) => each.value !== undefined);
    const right = labeled.filter((each) => each.value?.toLowerCase() === value.toLowerCase()).length;
    const prior = byRank(rank, values.length);
    const likelihood = (right + prior) / (labeled.length + UNLABELED * (containing.length - labeled.length) + 1);
    return places.map((place) => ({ ...place, likelihood, isKnown: true }));
  });
}

const byRank = (rank: number, count: number) =>
  LIKELIHOOD.mostFrequent - ((LIKELIHOOD.mostFrequent - LIKELIHOOD.leastFrequent) * rank) / count;

/** 'Mens' and "men's" contain the known value 'Men'. */
const inflectedIn = (text: string, { values }: Lesson): Candidate[] =>
  values.flatMap((value, rank) => {
    if (!/\p{L}$/u.test(value) || !mayContain(text, value)) return [];
    const likelihood = LIKELIHOOD.inflected - (0.1 * rank) / values.length;
    return matches(text, `${literal(value)}['’]?s`).map(({ start }) => ({
      start,
      end: start + value.length,
      likelihood,
      isKnown: true,
    }));
  });

/** '38.4 Ounces' has the pattern of the known value '24.2 Ounces'. */
const patternsIn = (text: string, { values }: Lesson): Candidate[] =>
  [...new Set(values.flatMap((value) => patternOf(value) ?? []))].flatMap((pattern) =>
    matches(text, pattern).map((place) => ({ ...place, likelihood: LIKELIHOOD.pattern, isKnown: true })),
  );

const NUMBER = String.raw`\d{1,20}(?:[.,]\d{1,20}){0,5}`;
function patternOf(value: string): string | undefined {
  const tokens = tokenize(value);
  if (!/\p{L}/u.test(value) || !tokens.some(({ shape }) => shape.startsWith('number'))) return undefined;
  // Adjacent numbers need a separator, and hyphens are separators; otherwise the pattern takes polynomial time.
  const keys = tokens.map(({ key }) => key).filter((key) => key !== '-');
  return keys.reduce((pattern, key, at) => {
    const separator = keys[at - 1]?.endsWith('0') && key.startsWith('0') ? '+' : '*';
    return `${pattern}${at === 0 ? '' : `[\\s-]${separator}`}${escaped(key).replace(/0/g, NUMBER)}`;
  }, '');
}

/** If values usually start their text, as brands do, an unknown first word is one. */
function leadingWords(text: string, { examples }: Lesson): Candidate[] {
  const labeled = examples.filter((each) => each.value !== undefined);
  const leading = labeled.filter((each) => each.text.toLowerCase().startsWith(each.value!.toLowerCase()));
  if (leading.length < 2 || leading.length < labeled.length / 2) return [];
  const lengths = labeled.map((each) => tokenize(each.value!).length).sort((a, b) => a - b);
  const common = new Set(examples.flatMap((each) => tokenize(each.text).slice(1)).map(({ key }) => key));
  const tokens = tokenize(text).slice(0, lengths[Math.floor(lengths.length / 2)]);
  const end = tokens.findIndex(({ key }) => common.has(key) || !/\p{L}/u.test(key));
  const last = tokens[(end < 0 ? tokens.length : end) - 1];
  return last ? [{ start: tokens[0]!.start, end: last.end, likelihood: LIKELIHOOD.leading, isKnown: true }] : [];
}

const literal = (value: string) => escaped(value.trim()).replace(/\s+/g, '\\s+');
/** Cheap test before the regular expression. */
const mayContain = (text: string, value: string) => text.toLowerCase().includes(value.trim().toLowerCase().split(/\s/, 1)[0]!);
const placesOf = (value: string, text: string) =>
  value.trim() !== '' && mayContain(text, value) ? matches(text, literal(value)) : [];

/** Whole words only, and no part of a decimal: '5 cm' is not in '14.5 cm'. */
const matches = (text: string, pattern: string) =>
  [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}]|\\d[.,])${pattern}(?![\\p{L}\\p{N}]|[.,]\\d)`, 'giu'))].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
