import { storable } from '../../../schema/text.ts';
import type { Passage } from '../retrieval/retrieve.ts';
import type { Citable } from '../tools/callable.ts';
import type { Chunk } from './chunks.ts';

/** Citations have at most three digits. */
const MAX_SOURCES = 999;

/** The sources of one reply by number: the retrieved passages, then the sources that tools add. */
export class CitedSources {
  readonly all: Citable[];
  readonly #cited = new Set<number>();

  constructor(passages: readonly Passage[]) {
    this.all = passages.map(({ id, sourceId, url, title, sourceName, text }) => ({
      id,
      documentId: sourceId,
      url,
      title: title || sourceName,
      text,
    }));
  }

  get count(): number {
    return this.all.length;
  }

  /** The number of a new source. Null when the reply has too many. */
  add(source: Citable): number | null {
    return this.count < MAX_SOURCES ? this.all.push(source) : null;
  }

  /** Remember the numbers that the answer cites. */
  mark(numbers: Iterable<number>): void {
    for (const number of numbers) this.#cited.add(number);
  }

  /** The cited sources, each page or document once. */
  chunks(): Chunk[] {
    const used = this.all.filter((_, index) => this.#cited.has(index + 1));
    const sources = new Map(used.map((source) => [source.url ?? source.documentId, source]));
    return [...sources.values()].map(({ id: sourceId, url, title }) =>
      url
        ? { type: 'source-url', sourceId, url, title: storable(title) }
        : { type: 'source-document', sourceId, mediaType: 'text/plain', title: storable(title) },
    );
  }
}
