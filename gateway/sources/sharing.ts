import type { DocumentNode } from 'graphql';
import { getOperationAST, OperationTypeNode } from 'graphql';
import type { Source } from '../contract.ts';

/** A request that is under way, and how many still want its answer. */
class Shared<T> {
  readonly controller = new AbortController();
  readonly answer: Promise<T>;
  wanted = 0;

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.answer = start(this.controller.signal);
  }
}

/** One who waits for a shared answer and may go away before it comes. */
class Waiting<T> {
  constructor(
    private readonly shared: Shared<T>,
    private readonly signal: AbortSignal,
    private readonly resolve: (answer: T) => void,
    private readonly reject: (error: unknown) => void,
    private readonly abandon: () => void,
  ) {
    shared.wanted += 1;
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

  /** Gone; the last one to go takes the request along. */
  handleEvent(): void {
    this.shared.wanted -= 1;
    if (this.shared.wanted === 0) this.abandon();
    this.reject(this.signal.reason);
  }
}

/** Requests that are under way, so that who asks the same meanwhile gets the same answer. One for all sources of a gateway. */
export class InFlight<T = string> {
  private readonly byKey = new Map<string, Shared<T>>();

  /** Join the request of this key or start it. It is aborted only when everyone who wants its answer has gone. */
  join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const shared = this.byKey.get(key) ?? this.open(key, start);
    if (!signal) {
      // Whoever cannot go away wants the answer to the end.
      shared.wanted += 1;
      return shared.answer;
    }
    const abandon = () => {
      this.close(key, shared);
      shared.controller.abort();
    };
    return new Promise((resolve, reject) => new Waiting(shared, signal, resolve, reject, abandon));
  }

  /** Let nobody join what is under way: from now on the answers may be others. */
  seal(): void {
    if (this.byKey.size > 0) this.byKey.clear();
  }

  private open(key: string, start: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const shared = new Shared(start);
    this.byKey.set(key, shared);
    const close = () => this.close(key, shared);
    shared.answer.then(close, close);
    return shared;
  }

  private close(key: string, shared: Shared<T>): void {
    if (this.byKey.get(key) === shared) this.byKey.delete(key);
  }
}

/**
 * Sources whose writes seal what is under way at all of them: a caller who reads after a write must not join a read from before
 * it, and what one subgraph writes another may show.
 */
export const sealing = (sources: Record<string, Source>, inFlight: InFlight): Record<string, Source> =>
  Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, sealed(source, inFlight)]));

function sealed(source: Source, inFlight: InFlight): Source {
  const write: Source['execute'] = async (request) => {
    inFlight.seal();
    try {
      return await source.execute(request);
    } finally {
      inFlight.seal();
    }
  };
  return {
    execute: (request) => (onlyReads(request.document) ? source.execute(request) : write(request)),
    subscribe: (request) => source.subscribe(request),
    close: async () => source.close?.(),
  };
}

const kinds = new WeakMap<DocumentNode, boolean>();

/** Does a request only read? What writes is never shared. */
export function onlyReads(document: DocumentNode): boolean {
  let reads = kinds.get(document);
  if (reads === undefined) {
    reads = getOperationAST(document)?.operation === OperationTypeNode.QUERY;
    kinds.set(document, reads);
  }
  return reads;
}
