interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

/** Entries within a budget, least recently used first. */
class Segment<K, V> {
  readonly entries = new Map<K, Entry<V>>();
  bytes = 0;

  constructor(readonly budget: number) {}

  take(key: K): Entry<V> | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.bytes -= entry.bytes;
    return entry;
  }

  put(key: K, entry: Entry<V>): void {
    if (entry.bytes > this.budget) return;
    this.entries.set(key, entry);
    this.bytes += entry.bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.budget) return;
      this.take(oldest);
    }
  }

  clear(): void {
    this.entries.clear();
    this.bytes = 0;
  }
}

/**
 * An LRU cache with a budget in bytes. Entries that were never read share a quarter of the budget, so a flood of new keys cannot
 * evict entries in use.
 */
export class SizedCache<K, V> {
  readonly #recent: Segment<K, V>;
  readonly #frequent: Segment<K, V>;

  constructor(budget: number) {
    this.#recent = new Segment(budget / 4);
    this.#frequent = new Segment((budget * 3) / 4);
  }

  /** Estimated bytes of all entries. */
  get bytes(): number {
    return this.#recent.bytes + this.#frequent.bytes;
  }

  get(key: K): V | undefined {
    const entry = this.#frequent.take(key) ?? this.#recent.take(key);
    if (entry) this.#frequent.put(key, entry);
    return entry?.value;
  }

  /** Store a value. A value larger than a quarter of the budget is not stored. */
  set(key: K, value: V, bytes: number): void {
    const known = this.#frequent.take(key);
    this.#recent.take(key);
    const segment = known ? this.#frequent : this.#recent;
    segment.put(key, { value, bytes });
  }

  delete(key: K): void {
    this.#frequent.take(key);
    this.#recent.take(key);
  }

  clear(): void {
    this.#frequent.clear();
    this.#recent.clear();
  }
}
