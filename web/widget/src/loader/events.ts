import type { WidgetEvents } from '../contract.ts';

type Listener<E extends keyof WidgetEvents> = (detail: WidgetEvents[E]) => void;

/** Listeners of the page. A listener that throws does not stop the others. */
export class Events {
  readonly #listeners = new Map<string, Set<(detail: never) => void>>();

  /** Returns a function that removes the listener. */
  on<E extends keyof WidgetEvents>(event: E, listener: Listener<E>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  emit<E extends keyof WidgetEvents>(event: E, detail: WidgetEvents[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        (listener as Listener<E>)(detail);
      } catch (error) {
        console.error(error);
      }
    }
  }
}
