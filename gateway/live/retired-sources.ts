import type { Source } from '../contract.ts';

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
