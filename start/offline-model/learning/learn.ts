import type { AttributeValue } from '../../../subgraphs/catalog/extraction/attribute.ts';
import type { Material } from '../../../subgraphs/catalog/extraction/prompt.ts';
import type { Finding } from '../reading/finding.ts';
import { bestCandidate, type Lesson } from './candidates.ts';
import { Tagger } from './tagger.ts';

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

const textsOf = (values: Readonly<Record<string, AttributeValue>>) =>
  new Map(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

function lineAround(text: string, { start, end }: { start: number; end: number }): string {
  const from = text.lastIndexOf('\n', start) + 1;
  const to = text.indexOf('\n', end);
  return text.slice(from, to < 0 ? undefined : to);
}
