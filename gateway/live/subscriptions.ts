import type { Answer, Operation } from '../contract.ts';
import { type EndableStream, endable } from '../endable-stream.ts';
import { fail } from '../errors.ts';
import type { CompiledOperation } from '../plan/compiled.ts';
import { NULL } from '../plan/complete.ts';

const supergraphReplaced = (): Answer => ({
  data: NULL,
  errors: [fail('UNAVAILABLE', 'The graph has changed. Subscribe again.').toJSON()],
});

/** Tracks the open subscriptions of a live gateway, so that it can end those that use a removed subgraph. */
export class Subscriptions {
  readonly #open = new Map<EndableStream<Answer>, ReadonlySet<string>>();
  /** By subgraph, the generation that removed or moved it. */
  readonly #goneSince = new Map<string, number>();

  /** Wrap an operation so that its streams are tracked while they are open. */
  track(operation: CompiledOperation, generation: number): Operation {
    const { eventSubgraphs } = operation;
    if (!eventSubgraphs) return operation;
    return {
      execute: operation.execute,
      subscribe: async (variables, context) => {
        const events = await operation.subscribe(variables, context);
        if (!(Symbol.asyncIterator in events)) return events;
        const stream: EndableStream<Answer> = endable(events, {
          map: (answer) => answer,
          onEnd: () => this.#open.delete(stream),
        });
        this.#open.set(stream, eventSubgraphs);
        // The supergraph may have been replaced while the subgraph accepted the subscription.
        for (const name of eventSubgraphs) if (this.#goneSince.get(name)! > generation) stream.terminate(supergraphReplaced());
        return stream;
      },
    };
  }

  /** End the streams that use subgraphs removed in a generation. Random delays keep clients from resubscribing all at once. */
  end(subgraphs: ReadonlySet<string>, generation: number, spread: number): void {
    for (const name of subgraphs) this.#goneSince.set(name, generation);
    for (const [stream, needed] of this.#open) {
      if (needed.isDisjointFrom(subgraphs)) continue;
      setTimeout(() => stream.terminate(supergraphReplaced()), Math.random() * spread).unref();
    }
  }
}
