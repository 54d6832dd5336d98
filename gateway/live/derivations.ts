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

/** Values derived from a gateway. All of them switch to the next gateway at the same time. */
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

  /** Recompute all values, one per step. They switch together after the last step; if one throws, none of them changes. */
  *rebuild(gateway: Gateway): Generator<void, void> {
    // The list can grow between steps: values derived meanwhile are appended.
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
