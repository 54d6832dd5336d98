import type { EventStream } from '../event-stream.ts';
import { fail } from '../gateway-error.ts';
import { NULL } from '../plan/complete.ts';
import type { Answer, Source } from '../source-contract.ts';

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
  readonly #open = new Map<EventStream<Answer>, ReadonlySet<string>>();
  /** By subgraph, the generation that removed or moved it. */
  readonly #goneSince = new Map<string, number>();

  /** Track a stream while it is open. */
  track(stream: EventStream<Answer>, subgraphs: ReadonlySet<string>, generation: number): void {
    this.#open.set(stream, subgraphs);
    stream.onEnd(() => this.#open.delete(stream));
    // The supergraph may have been replaced while the subgraph accepted the subscription.
    for (const name of subgraphs) if (this.#goneSince.get(name)! > generation) stream.end(supergraphReplaced());
  }

  /** End the streams that use subgraphs removed in a generation. Random delays keep clients from resubscribing all at once. */
  end(subgraphs: ReadonlySet<string>, generation: number, spread: number): void {
    for (const name of subgraphs) this.#goneSince.set(name, generation);
    for (const [stream, needed] of this.#open) {
      if (needed.isDisjointFrom(subgraphs)) continue;
      setTimeout(() => stream.end(supergraphReplaced()), Math.random() * spread).unref();
    }
  }
}
