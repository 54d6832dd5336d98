import { isId } from '../../../platform/database/index.ts';
import { storable, truncate } from '../../../schema/text.ts';
import { namedProducts } from '../catalog/catalog-tools.ts';
import { languageOf } from '../language.ts';
import type { Passage } from '../retrieval/retrieve.ts';
import type { Citable } from '../tools/callable.ts';
import type { Chunk } from './reply-store.ts';

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

/** The abbreviations of `page` in languages that do not write `p.`. */
const pageWords: Partial<Record<string, string>> = {
  de: 'S.',
  cs: 's.',
  da: 's.',
  fi: 's.',
  no: 's.',
  pl: 's.',
  ru: 'с.',
  sv: 's.',
  tr: 's.',
  uk: 'с.',
};

/** The word before the number of a page in the language of a question. */
const pageWordIn = (question: string): string => pageWords[languageOf(question) ?? ''] ?? 'p.';

/** Citations have at most three digits. */
const MAX_SOURCES = 999;

/** The sources of one reply by number: the retrieved passages, then the sources that tools add. */
export class CitedSources {
  readonly all: Citable[] = [];
  readonly #cited = new Set<number>();
  readonly #suspicious = new Map<number, Wording>();
  /** The pages and documents that were taken, and the names of those that the reply has shown before. */
  readonly #taken = new Set<string>();
  readonly #shown: ReadonlySet<string>;
  /** The last letters of the text that was followed. */
  #end = '';

  /**
   * @param shown the reply so far, which may have shown some before it waited for an approval
   * @param question its language is that of the word for a page
   */
  constructor(passages: readonly Passage[], shown: readonly Chunk[] = [], question = '') {
    const pageWord = passages.some(({ page }) => page) ? pageWordIn(question) : '';
    this.#shown = new Set(shown.filter(isSource).map(nameOf));
    for (const { id, sourceId, url, title, page, headings, sourceName, text, suspicious } of passages)
      this.add({
        id,
        documentId: sourceId,
        url,
        title: page ? `${sourceName}, ${pageWord} ${page}` : title || sourceName,
        page,
        text,
        context: [title, ...headings].join(' '),
        suspicious,
      });
  }

  get count(): number {
    return this.all.length;
  }

  /** The number of a new source. Null when the reply has too many. */
  add(source: Citable): number | null {
    if (this.count >= MAX_SOURCES) return null;
    const number = this.all.push(source);
    if (source.suspicious) this.#suspicious.set(number, wordingOf(source));
    return number;
  }

  /** Remember the numbers that the answer cites. */
  mark(numbers: Iterable<number>): void {
    for (const number of numbers) this.#cited.add(number);
  }

  /** Remember the suspicious sources whose words the answer repeats, so that they never pass for the agent's own. */
  markRepeated(answer: string): void {
    if (this.#suspicious.size > 0) this.#compare(lettersOf(answer));
  }

  /** As `markRepeated`, for the next piece of a text. It may miss words whose letters are split between two pieces. */
  follow(piece: string): void {
    if (this.#suspicious.size === 0) return;
    const letters = this.#end + lettersOf(piece);
    this.#compare(letters);
    this.#end = letters.slice(1 - RUN);
  }

  #compare(letters: string): void {
    const runs = runsOf(letters);
    const repeats = ({ short, runs: own }: Wording) =>
      (short !== undefined && letters.includes(short)) || runs.some((run) => own.has(run));
    for (const [number, wording] of this.#suspicious) if (!this.#cited.has(number) && repeats(wording)) this.#cited.add(number);
  }

  /** The ids of the cited sources of the agent. */
  get ids(): string[] {
    return [
      ...new Set(
        this.#used()
          .map(({ documentId }) => documentId)
          .filter(isId),
      ),
    ];
  }

  /** The SKUs of the products that the answer is about. */
  productsIn(answer: string): string[] {
    if (this.count === 0) return [];
    const cited = [...this.#cited].flatMap((number) => this.all[number - 1] ?? []);
    return namedProducts(answer, cited, this.all);
  }

  #used(): Citable[] {
    return this.all.filter((_, index) => this.#cited.has(index + 1));
  }

  /** The cited sources that were not taken before, each page of the web or of a PDF, and each other document, once. */
  take(): Chunk[] {
    const fresh = this.#used().filter(({ url, documentId, page }) => {
      const key = url ?? (page ? `${documentId} ${page}` : documentId);
      const isKnown = this.#taken.has(key);
      this.#taken.add(key);
      return !isKnown;
    });
    const chunks = fresh.map(
      ({ id: sourceId, url, title }): SourceChunk =>
        url
          ? { type: 'source-url', sourceId, url, title: storable(title) }
          : { type: 'source-document', sourceId, mediaType: 'text/plain', title: storable(title) },
    );
    return chunks.filter((chunk) => !this.#shown.has(nameOf(chunk)));
  }
}

/** Bytes of letters and digits in a row that count as repeated: about three words, or five Chinese characters. */
const RUN = 16;

/** The letters and digits of a text, as a string of one character for each byte. */
const lettersOf = (text: string): string =>
  Buffer.from((text.normalize('NFKC').toLowerCase().match(WORD) ?? []).join('')).toString('latin1');

const runsOf = (letters: string): string[] =>
  Array.from({ length: Math.max(0, letters.length - RUN + 1) }, (_, at) => letters.slice(at, at + RUN));

/** The letters by which an answer is recognized that repeats a source. */
interface Wording {
  /** The whole text, if it is shorter than a run. A short heading, unlike a short text, is a word of many answers. */
  short?: string;
  runs: ReadonlySet<string>;
}

function wordingOf({ text, context = '' }: Citable): Wording {
  const letters = lettersOf(text);
  const runs = new Set([letters, lettersOf(context)].flatMap(runsOf));
  return letters.length < RUN ? { short: letters, runs } : { runs };
}

type SourceChunk = Extract<Chunk, { type: 'source-url' | 'source-document' }>;

const isSource = (chunk: Chunk): chunk is SourceChunk => chunk.type === 'source-url' || chunk.type === 'source-document';

/** Readers know a page by its address, and a document by its title. */
const nameOf = (chunk: SourceChunk): string => (chunk.type === 'source-url' ? `page ${chunk.url}` : `document ${chunk.title}`);

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
