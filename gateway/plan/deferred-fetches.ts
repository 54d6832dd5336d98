import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { fail } from '../gateway-error.ts';

/** An unexpected error as that of a part. */
export const faultOf = (error: unknown): GraphQLFormattedError =>
  (error instanceof GraphQLError ? error : fail('INTERNAL_SERVER_ERROR', String(error))).toJSON();

/** The deferred fetches of one execution, by the label of their fragment. */
export class DeferredFetches {
  readonly #byLabel = new Map<string, { work: Promise<void>; errors: GraphQLFormattedError[] }[]>();
  readonly #awaited = new Map<string, PromiseWithResolvers<void> & { remaining: number }>();
  /** Characters of all parts so far. */
  length = 0;
  readonly sent = new SentObjects();
  /** Errors of fields that only a later part contains. */
  held: GraphQLFormattedError[] = [];

  constructor(private readonly counts: ReadonlyMap<string, number>) {}

  /**
   * Run the fetches of a fragment when others have ended.
   * @param label that of the fragment, and a number after a slash if the fields of shared objects are deferred
   * @param run collects errors of its own
   */
  begin(label: string, after: readonly string[], run: (errors: GraphQLFormattedError[]) => unknown): void {
    const errors: GraphQLFormattedError[] = [];
    const start = async () => {
      await Promise.all(after.map((id) => this.#awaitedFetch(id).promise));
      await run(errors);
    };
    const work = start().catch((error: unknown) => void errors.push(faultOf(error)));
    const part = label.split('/')[0]!;
    this.#byLabel.set(part, [...(this.#byLabel.get(part) ?? []), { work, errors }]);
  }

  /** Report a fetch that has ended. */
  end(id: string): void {
    const fetch = this.#awaitedFetch(id);
    fetch.remaining -= 1;
    if (fetch.remaining <= 0) fetch.resolve();
  }

  /** Report that no more of these fetches will run: a condition may have excluded them. */
  endAll(ids: Iterable<string>): void {
    for (const id of ids) this.#awaitedFetch(id).resolve();
  }

  /** Wait for the fetches of a label. Never rejects. */
  async ended(label: string): Promise<string> {
    await Promise.all((this.#byLabel.get(label) ?? []).map(({ work }) => work));
    return label;
  }

  errorsOf(label: string): GraphQLFormattedError[] {
    return (this.#byLabel.get(label) ?? []).flatMap(({ errors }) => errors);
  }

  #awaitedFetch(id: string) {
    let fetch = this.#awaited.get(id);
    if (!fetch) {
      const remaining = this.counts.get(id) ?? 0;
      fetch = { ...Promise.withResolvers<void>(), remaining };
      if (remaining === 0) fetch.resolve();
      this.#awaited.set(id, fetch);
    }
    return fetch;
  }
}

/**
 * The objects that have been sent in parts of one response, or null instead of them. Later parts may contain the same objects with other fields,
 * and must not replace one by the other. The same data can be at several places, so an object belongs to a place: its keys without indexes.
 */
export class SentObjects {
  readonly #sent = new Map<string, Map<object, boolean>>();
  readonly #writing: [place: string, object: object, isObject: boolean][] = [];

  /** Whether the object was sent; false if null was, undefined if nothing was. */
  before(place: string, object: object): boolean | undefined {
    return this.#sent.get(place)?.get(object);
  }

  add(place: string, object: object, isObject: boolean): void {
    this.#writing.push([place, object, isObject]);
  }

  /** Report the end of a part. Nothing of a failed one is sent. */
  endPart(isFailed: boolean): void {
    for (const [place, object, isObject] of isFailed ? [] : this.#writing) {
      const objects = this.#sent.get(place) ?? new Map<object, boolean>();
      this.#sent.set(place, objects.set(object, isObject));
    }
    this.#writing.length = 0;
  }
}
