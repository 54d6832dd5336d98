import { Lifetime } from '../lifetime.ts';

/** A message of a client, before graphql-ws validates it. */
export interface ClientMessage {
  readonly type?: unknown;
  readonly id?: unknown;
}

export interface Operation {
  /** The id that the client chose. */
  readonly id: string;
  readonly lifetime: Lifetime;
}

/**
 * The operations of one connection. graphql-ws identifies them by numbers, because it forgets an id only when the execution ends,
 * and a client may reuse its id after `complete`.
 */
export class Operations {
  /** By number. A canceled operation counts until its execution ends. */
  readonly #running = new Map<string, Operation>();
  /** Numbers by the ids of the client. */
  readonly #numbers = new Map<string, string>();
  #last = 0;

  /** @param timeout of each operation, in milliseconds */
  constructor(private readonly timeout: number) {}

  get size(): number {
    return this.#running.size;
  }

  get(number: string): Operation | undefined {
    return this.#running.get(number);
  }

  numberOf(id: string): string | undefined {
    return this.#numbers.get(id);
  }

  add(id: string): string {
    const number = `${++this.#last}`;
    this.#running.set(number, { id, lifetime: new Lifetime(this.timeout) });
    this.#numbers.set(id, number);
    return number;
  }

  /** Abort an operation. Its later messages are dropped, and its id is free. */
  cancel(number: string): void {
    const operation = this.get(number);
    if (!operation) return;
    if (this.#isCurrent(number, operation)) this.#numbers.delete(operation.id);
    operation.lifetime.end();
  }

  /** Remove an operation whose execution has ended. */
  delete(number: string): void {
    this.cancel(number);
    this.#running.delete(number);
  }

  clear(): void {
    for (const number of this.#running.keys()) this.delete(number);
  }

  /** Restore the id of the client in a message of graphql-ws. Returns undefined if the client completed the operation. */
  restoreId(text: string): string | undefined {
    const [start, number] = /^\{"id":"(\d+)"/.exec(text) ?? [];
    if (!start || !number) return text;
    const operation = this.awaited(number);
    return operation && `{"id":${JSON.stringify(operation.id)}${text.slice(start.length)}`;
  }

  /** The operation of a number, unless the client completed it. */
  awaited(number: string): Operation | undefined {
    const operation = this.get(number);
    return operation && this.#isCurrent(number, operation) ? operation : undefined;
  }

  #isCurrent(number: string, { id }: Operation): boolean {
    return this.#numbers.get(id) === number;
  }
}
