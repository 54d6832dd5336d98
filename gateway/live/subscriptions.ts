import type { Answer, Operation } from '../contract.ts';
import { fail } from '../errors.ts';
import type { CompiledOperation } from '../plan/compiled.ts';
import { NULL } from '../plan/complete.ts';
import { type Cuttable, cuttable } from './cuttable.ts';

const replaced = (): Answer => ({
  data: NULL,
  errors: [fail('UNAVAILABLE', 'The graph has changed. Subscribe again.').toJSON()],
});

/** The streams of a live gateway that are open, so that those of a subgraph can be ended. */
export class Subscriptions {
  readonly #open = new Map<Cuttable<Answer>, ReadonlySet<string>>();
  /** By subgraph, the generation that no longer had it at its old address. */
  readonly #goneSince = new Map<string, number>();

  /** The operation of a generation, its streams noted while they are open. */
  noting(operation: CompiledOperation, generation: number): Operation {
    const { eventSubgraphs } = operation;
    if (!eventSubgraphs) return operation;
    return {
      execute: operation.execute,
      subscribe: async (variables, context) => {
        const events = await operation.subscribe(variables, context);
        if (!(Symbol.asyncIterator in events)) return events;
        const stream: Cuttable<Answer> = cuttable(events, () => this.#open.delete(stream));
        this.#open.set(stream, eventSubgraphs);
        // The supergraph may have been replaced while the subgraph accepted the subscription.
        for (const name of eventSubgraphs) if (this.#goneSince.get(name)! > generation) stream.cut(replaced());
        return stream;
      },
    };
  }

  /** End the streams that need subgraphs which a generation has not. The ends are spread so that not all clients return at once. */
  end(subgraphs: ReadonlySet<string>, generation: number, spread: number): void {
    for (const name of subgraphs) this.#goneSince.set(name, generation);
    for (const [stream, needed] of this.#open) {
      if (needed.isDisjointFrom(subgraphs)) continue;
      setTimeout(() => stream.cut(replaced()), Math.random() * spread).unref();
    }
  }
}
