import { storable } from '../../../schema/text.ts';
import type { Passage } from '../retrieval/retrieve.ts';
import type { Chunk } from './chunks.ts';

/** A citation at the end of a delta, or the space before it, may continue in the next one. */
const OPEN_CITATION = /\s*(?:\[[\d,\s]{0,12})?$/;
const CITATION = /\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g;
const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/**
 * Removes the citations of passages, such as `[1]`, from streamed text and remembers them. It also makes the text storable: a character
 * that is split between two deltas is joined.
 */
export class CitationFilter {
  readonly cited = new Set<number>();
  #held = '';

  constructor(private readonly passageCount: number) {}

  /** The text that can be sent now. */
  write(delta: string): string {
    const text = this.#held + delta;
    const [tail] = (this.passageCount > 0 && OPEN_CITATION.exec(text)) || HIGH_SURROGATE.exec(text) || [''];
    this.#held = tail;
    return this.#clean(text.slice(0, text.length - tail.length));
  }

  end(): string {
    const text = this.#held;
    this.#held = '';
    return this.#clean(text);
  }

  #clean(text: string): string {
    const cleaned = storable(text);
    if (this.passageCount === 0) return cleaned;
    return cleaned.replace(CITATION, (written, list: string) => {
      const numbers = list.split(',').map(Number);
      // Other bracketed numbers belong to the answer.
      if (numbers.some((number) => number < 1 || number > this.passageCount)) return written;
      for (const number of numbers) this.cited.add(number);
      return '';
    });
  }
}

/** The sources of the cited passages, each source once. */
export function citedPassages(passages: readonly Passage[], cited: ReadonlySet<number>): Chunk[] {
  const used = passages.filter((_, index) => cited.has(index + 1));
  const sources = new Map(used.map((passage) => [passage.url ?? passage.sourceId, passage]));
  return [...sources.values()].map(({ id, url, title, sourceName }): Chunk => {
    const name = storable(title || sourceName);
    return url
      ? { type: 'source-url', sourceId: id, url, title: name }
      : { type: 'source-document', sourceId: id, mediaType: 'text/plain', title: name };
  });
}
