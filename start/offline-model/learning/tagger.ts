/** A text with the labeled values that it contains. */
interface LabeledText {
  text: string;
  values: readonly { label: string; value: string }[];
}

/** A part of a text with its label. */
interface Span {
  label: string;
  start: number;
  end: number;
}

const OTHER = '';
/** A word of a known value counts less than a word of an example, which occurs in its context. */
const KNOWN_WEIGHT = 0.6;
/** Share of each single word among all words of a spelling that no example contains. */
const UNSEEN = 0.01;
const TRANSITION_WEIGHT = 0.6;

class Counts {
  readonly #counts = new Map<string, number>();
  total = 0;

  add(key: string, weight = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + weight);
    this.total += weight;
  }

  get size(): number {
    return this.#counts.size;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

interface State {
  label: string;
  /** Whether the token is the first of its value. */
  isFirst: boolean;
  words: Counts;
  shapes: Counts;
  next: Counts;
}

/** A hidden Markov model of labeled texts: it learns words, spellings and order of values, and finds values in new texts. */
export class Tagger {
  readonly #states = new Map<string, State>();
  readonly #order: State[];

  constructor(examples: readonly LabeledText[], known: readonly { label: string; value: string }[]) {
    const labels = new Set([
      OTHER,
      ...known.map(({ label }) => label),
      ...examples.flatMap(({ values }) => values.map(({ label }) => label)),
    ]);
    for (const label of labels) {
      for (const isFirst of label === OTHER ? [true] : [true, false])
        this.#states.set(nameOf(label, isFirst), { label, isFirst, words: new Counts(), shapes: new Counts(), next: new Counts() });
    }
    this.#states.set(START, { label: START, isFirst: true, words: new Counts(), shapes: new Counts(), next: new Counts() });
    this.#order = [...this.#states.values()].filter(({ label }) => label !== START);
    for (const { label, value } of known) this.#learnValue(label, tokenize(value));
    for (const example of examples) this.#learnText(example);
  }

  /** The most likely spans of a text, in order. */
  tag(text: string): Span[] {
    const tokens = tokenize(text);
    const states = this.#order;
    let scores = states.map((state) => this.#step(this.#states.get(START)!, state) + this.#emission(state, tokens[0]));
    const back: number[][] = [];
    for (const token of tokens.slice(1)) {
      const from: number[] = [];
      scores = states.map((state, to) => {
        let best = Number.NEGATIVE_INFINITY;
        for (const [at, previous] of states.entries()) {
          const score = scores[at]! + this.#step(previous, state);
          if (score > best) [best, from[to]] = [score, at];
        }
        return best + this.#emission(state, token);
      });
      back.push(from);
    }
    let at = scores.indexOf(Math.max(...scores));
    const path = [at];
    for (const from of back.toReversed()) {
      at = from[at]!;
      path.push(at);
    }
    return spansOf(
      tokens,
      path.toReversed().map((index) => states[index]!),
    );
  }

  #learnValue(label: string, tokens: readonly Token[]): void {
    for (const [place, { key, shape }] of tokens.entries()) {
      const state = this.#states.get(nameOf(label, place === 0))!;
      state.words.add(key, KNOWN_WEIGHT);
      state.shapes.add(shape, KNOWN_WEIGHT);
      const following = place + 1 < tokens.length ? nameOf(label, false) : OTHER;
      if (following !== OTHER) state.next.add(following, KNOWN_WEIGHT);
      else state.next.add(END, KNOWN_WEIGHT);
    }
  }

  #learnText({ text, values }: LabeledText): void {
    const tokens = tokenize(text);
    const names = tokens.map(() => nameOf(OTHER, true));
    for (const { label, value } of values) {
      const start = text.toLowerCase().indexOf(value.toLowerCase());
      if (start < 0) continue;
      const inside = [...tokens.entries()].filter(([, each]) => each.start >= start && each.end <= start + value.length);
      for (const [place, [index]] of inside.entries()) names[index] = nameOf(label, place === 0);
    }
    let previous = this.#states.get(START)!;
    for (const [index, { key, shape }] of tokens.entries()) {
      const state = this.#states.get(names[index]!)!;
      previous.next.add(names[index]!);
      state.words.add(key);
      state.shapes.add(shape);
      previous = state;
    }
  }

  #emission({ words, shapes }: State, token: Token | undefined): number {
    if (!token) return 0;
    const shape = (shapes.of(token.shape) + 0.05) / (shapes.total + 1);
    // Witten-Bell smoothing: a label with many different words is likely to continue with a new one.
    const novelty = words.size + 0.1;
    return Math.log((words.of(token.key) + novelty * shape * UNSEEN) / (words.total + novelty));
  }

  #step(from: State, to: State): number {
    // Inside a value only the same value continues.
    if (!to.isFirst && from.label !== to.label) return Number.NEGATIVE_INFINITY;
    const count = from.next.of(nameOf(to.label, to.isFirst));
    const prior = 1 / this.#order.length;
    return TRANSITION_WEIGHT * Math.log((count + 2 * prior) / (from.next.total + 2));
  }
}

const START = '<start>';
const END = '<end>';
const nameOf = (label: string, isFirst: boolean) => `${isFirst ? 'first' : 'inner'} ${label}`;

function spansOf(tokens: readonly Token[], states: readonly State[]): Span[] {
  const spans: Span[] = [];
  for (const [index, { label, isFirst }] of states.entries()) {
    const { start, end } = tokens[index]!;
    const last = spans.at(-1);
    if (label === OTHER) spans.push({ label, start, end });
    else if (isFirst || !last || last.label !== label) spans.push({ label, start, end });
    else last.end = end;
  }
  return spans.filter(({ label }) => label !== OTHER);
}

/** A word, number or punctuation mark of a text. */
interface Token {
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
