import type { Gateway } from '../gateway.ts';

class Derivation<T> {
  value: T;
  next?: T;

  constructor(
    gateway: Gateway,
    readonly make: (gateway: Gateway) => T,
  ) {
    this.value = make(gateway);
  }
}

/** Values made from a gateway, replaced all at once with those of the next one. */
export class Derivations {
  readonly #all: Derivation<unknown>[] = [];
  #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  derive<T>(make: (gateway: Gateway) => T): () => T {
    const derivation = new Derivation(this.#gateway, make);
    this.#all.push(derivation as Derivation<unknown>);
    return () => derivation.value;
  }

  /** Make all values again, one at a time. They change together at the end, and not at all when one of them throws. */
  *rebuild(gateway: Gateway): Generator<void, void> {
    // A value that is derived meanwhile is at the end of the list.
    for (let at = 0; at < this.#all.length; at++) {
      const derivation = this.#all[at]!;
      derivation.next = derivation.make(gateway);
      yield;
    }
    this.#gateway = gateway;
    for (const derivation of this.#all) {
      derivation.value = derivation.next;
      derivation.next = undefined;
    }
  }
}
