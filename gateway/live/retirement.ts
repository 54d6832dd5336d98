import type { Answer, Operation, Source } from '../contract.ts';
import { type EndableStream, endable } from '../endable-stream.ts';
import { fail } from '../errors.ts';
import { NULL } from '../plan/complete.ts';
import type { CompiledOperation } from '../plan/context.ts';

interface Retired {
  /** The name and address of the subgraph. */
  readonly key: string;
  readonly timer: NodeJS.Timeout;
}

/** Sources that the current supergraph does not use. They close after a grace period, unless a later supergraph uses them again. */
export class RetiredSources {
  readonly #retired = new Map<Source, Retired>();
  #closing: Promise<unknown> = Promise.resolve();

  /** @param grace milliseconds before a retired source is closed */
  constructor(private readonly grace: number) {}

  has(source: Source): boolean {
    return this.#retired.has(source);
  }

  withKey(key: string): Source | undefined {
    return [...this.#retired].find(([, each]) => each.key === key)?.[0];
  }

  retire(source: Source, key: string): void {
    this.#retired.set(source, { key, timer: setTimeout(() => this.close(source), this.grace).unref() });
  }

  /** Keep the sources open that a new supergraph uses, until it is applied or refused. */
  hold(isUsed: (source: Source) => boolean): { revive(): void; release(): void } {
    const held = [...this.#retired].filter(([source]) => isUsed(source));
    for (const [, { timer }] of held) clearTimeout(timer);
    return {
      revive: () => {
        for (const [source] of held) this.#retired.delete(source);
      },
      release: () => {
        for (const [source, { key }] of held) this.retire(source, key);
      },
    };
  }

  close(source: Source): void {
    clearTimeout(this.#retired.get(source)?.timer);
    this.#retired.delete(source);
    this.#closing = Promise.allSettled([this.#closing, source.close?.()]);
  }

  /** Close all retired sources, and wait for every source that is closing. */
  async closeAll(): Promise<void> {
    for (const source of this.#retired.keys()) this.close(source);
    await this.#closing;
  }
}

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
