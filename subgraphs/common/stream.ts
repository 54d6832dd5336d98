import { createSourceEventStream, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { SourceRequest, SourceResult } from '../../schema/request.ts';
import type { RequestScope } from './scope.ts';

/** What each event of a subscription is answered with: its selection, run on the event. */
type Answer = (event: unknown) => SourceResult | Promise<SourceResult>;

/** The answers of a subscription, or one with errors when it is refused. */
export async function openStream(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: SourceRequest['variables'],
  scope: RequestScope,
  answer: Answer,
): Promise<AsyncIterableIterator<SourceResult, undefined> | SourceResult> {
  const events = await createSourceEventStream({ schema, document, contextValue: scope, variableValues: variables });
  return Symbol.asyncIterator in events ? new Stream(events, scope, answer) : (events as SourceResult);
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Ends at once when it is returned, and with the refusal when its caller may not read it any more, even while an event is awaited. */
class Stream implements AsyncIterableIterator<SourceResult, undefined> {
  readonly #events: AsyncIterator<unknown>;
  readonly #unwatch: () => void;
  #last: SourceResult | undefined;
  #ended = false;
  #wake: ((result: IteratorResult<SourceResult, undefined>) => void) | undefined;

  constructor(
    events: AsyncIterable<unknown>,
    scope: RequestScope,
    private readonly answer: Answer,
  ) {
    this.#events = events[Symbol.asyncIterator]();
    this.#unwatch = scope.services.standing.watch(scope, (refusal) => this.#refuse(refusal));
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next(): Promise<IteratorResult<SourceResult, undefined>> {
    if (this.#ended) return Promise.resolve(this.#end());
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      this.#pull()
        .finally(() => {
          this.#wake = undefined;
        })
        .then(resolve, (error: unknown) => {
          this.#stop();
          reject(error);
        });
    });
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#stop();
    this.#last = undefined;
    this.#wake?.(over);
    return over;
  }

  async #pull(): Promise<IteratorResult<SourceResult, undefined>> {
    const { done, value } = await this.#events.next();
    if (!done && !this.#ended) return { done: false, value: await this.answer(value) };
    this.#stop();
    return this.#end();
  }

  #refuse(refusal: GraphQLError): void {
    this.#last = { errors: [refusal.toJSON()] };
    this.#stop();
    this.#wake?.(this.#end());
  }

  #stop(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unwatch();
    // A source that fails to end has nobody left to tell.
    Promise.resolve(this.#events.return?.()).catch(() => {});
  }

  /** What was still to be said, and then that there is no more. */
  #end(): IteratorResult<SourceResult, undefined> {
    const value = this.#last;
    this.#last = undefined;
    return value ? { done: false, value } : over;
  }
}
