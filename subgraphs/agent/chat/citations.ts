import { storable } from '../../../schema/text.ts';

/** Written by the model at the start of an answer that answers nothing, in any language. */
export const NO_ANSWER = '[no-answer]';

/** A marker at the end of a delta, or the space before it, may continue in the next one. */
// Bounded, because a model may write long runs of spaces.
const OPEN_MARKER = /\s{0,9}(?:\[[\w,\s-]{0,12})?$/;
const CITATION = /\s{0,9}\[(\d{1,3}(?:\s{0,3},\s{0,3}\d{1,3}){0,9})\]/g;
const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/**
 * Removes citations of sources, such as `[1]`, and the marker `[no-answer]` from streamed text and remembers them. It also makes the
 * text storable: a character that is split between two deltas is joined.
 */
export class CitationFilter {
  readonly cited = new Set<number>();
  /** Whether the text contains the marker. */
  isUnanswered = false;
  #held = '';
  #hasText = false;

  constructor(private readonly sourceCount: number) {}

  /** The text that can be sent now. */
  write(delta: string): string {
    const text = this.#held + delta;
    const [tail] = HIGH_SURROGATE.exec(text) ?? OPEN_MARKER.exec(text) ?? [''];
    this.#held = tail;
    return this.#clean(text.slice(0, text.length - tail.length));
  }

  end(): string {
    const text = this.#held;
    this.#held = '';
    return this.#clean(text);
  }

  #clean(text: string): string {
    const isMarked = text.includes(NO_ANSWER);
    this.isUnanswered ||= isMarked;
    const unmarked = storable(isMarked ? text.replaceAll(NO_ANSWER, '') : text);
    const cleaned = this.#hasText ? unmarked : unmarked.trimStart();
    this.#hasText ||= cleaned !== '';
    if (this.sourceCount === 0) return cleaned;
    return cleaned.replace(CITATION, (written, list: string) => {
      const numbers = list.split(',').map(Number);
      // Other bracketed numbers belong to the answer.
      if (numbers.some((number) => number < 1 || number > this.sourceCount)) return written;
      for (const number of numbers) this.cited.add(number);
      return '';
    });
  }
}
