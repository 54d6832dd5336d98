import type { DocumentNode } from 'graphql';
import { getOperationAST, OperationTypeNode } from 'graphql';
import type { Source } from '../source-contract.ts';
import type { HttpResponse } from './http1/http-connection.ts';

/** An in-flight request and the number of callers that wait for it. */
class SharedRequest<T> {
  readonly controller = new AbortController();
  readonly answer: Promise<T>;
  waiters = 0;

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.answer = start(this.controller.signal);
  }
}

/** A caller that waits for a shared request and may disconnect first. */
class Waiter<T> {
  constructor(
    private readonly shared: SharedRequest<T>,
    private readonly signal: AbortSignal,
    private readonly resolve: (answer: T) => void,
    private readonly reject: (error: unknown) => void,
    private readonly abandon: () => void,
  ) {
    shared.waiters += 1;
    if (signal.aborted) this.handleEvent();
    else signal.addEventListener('abort', this);
    shared.answer.then(
      (answer) => {
        signal.removeEventListener('abort', this);
        this.resolve(answer);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', this);
        this.reject(error);
      },
    );
  }

  /** Handles the abort event of the caller. The last caller to leave aborts the request. */
  handleEvent(): void {
    this.shared.waiters -= 1;
    if (this.shared.waiters === 0) this.abandon();
    this.reject(this.signal.reason);
  }
}

/** Deduplicates in-flight requests by key. All sources of a gateway share one instance. */
export class InFlight<T = HttpResponse> {
  private readonly byKey = new Map<string, SharedRequest<T>>();

  /** Join the in-flight request of a key, or start it. It is aborted only when all its callers have left. */
  join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const shared = this.byKey.get(key) ?? this.open(key, start);
    if (!signal) {
      // A caller without a signal never leaves.
      shared.waiters += 1;
      return shared.answer;
    }
    const abandon = () => {
      this.close(key, shared);
      shared.controller.abort();
    };
    return new Promise((resolve, reject) => new Waiter(shared, signal, resolve, reject, abandon));
  }

  /** Exclude the current requests from joining, because later ones may get different results. */
  invalidate(): void {
    if (this.byKey.size > 0) this.byKey.clear();
  }

  private open(key: string, start: (signal: AbortSignal) => Promise<T>): SharedRequest<T> {
    const shared = new SharedRequest(start);
    this.byKey.set(key, shared);
    const close = () => this.close(key, shared);
    shared.answer.then(close, close);
    return shared;
  }

  private close(key: string, shared: SharedRequest<T>): void {
    if (this.byKey.get(key) === shared) this.byKey.delete(key);
  }
}

/**
 * Wrap sources so that a mutation seals the in-flight requests of all of them. A read after a mutation must not join an earlier
 * read, even in another subgraph, because that may show the change.
 */
export const invalidatingWrites = (sources: Record<string, Source>, inFlight: InFlight): Record<string, Source> =>
  Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, withInvalidation(source, inFlight)]));

function withInvalidation(source: Source, inFlight: InFlight): Source {
  const write: Source['execute'] = async (request) => {
    inFlight.invalidate();
    try {
      return await source.execute(request);
    } finally {
      inFlight.invalidate();
    }
  };
  return {
    execute: (request) => (isQuery(request.document) ? source.execute(request) : write(request)),
    subscribe: (request) => source.subscribe(request),
    close: async () => source.close?.(),
  };
}

const kinds = new WeakMap<DocumentNode, boolean>();

/** Whether the operation is a query. Mutations are never shared. */
export function isQuery(document: DocumentNode): boolean {
  let reads = kinds.get(document);
  if (reads === undefined) {
    reads = getOperationAST(document)?.operation === OperationTypeNode.QUERY;
    kinds.set(document, reads);
  }
  return reads;
}
