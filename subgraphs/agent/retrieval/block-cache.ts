import type { Block } from './vector-block.ts';

interface Entry {
  block: Block;
  bytes: number;
  organizationId: string;
  usedAt: number;
}

/** Milliseconds after which a block may give way to another. */
const IDLE = 60_000;

/**
 * Blocks of vectors within a budget in bytes. A scan reads the blocks of an agent in a circle, so an LRU cache smaller than the agent would
 * never hit. This cache keeps what it has while it is in use, and drops the rest of the circle. An organization gets half of the budget.
 */
export class BlockCache {
  readonly #entries = new Map<string, Entry>();
  readonly #used = new Map<string, number>();
  #bytes = 0;

  constructor(private readonly budget: number) {}

  /** Bytes of all blocks. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string, now = performance.now()): Block | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // The order of the map is the order of use.
    this.#entries.delete(key);
    this.#entries.set(key, { ...entry, usedAt: now });
    return entry.block;
  }

  /** Store a block if there is room, or if blocks that nobody used for a minute make room. */
  offer(key: string, organizationId: string, block: Block, now = performance.now()): void {
    const bytes = block.vectors.byteLength + block.ids.length * 100;
    for (const [name, { usedAt }] of this.#entries) {
      if (now - usedAt < IDLE || this.#bytes + bytes <= this.budget) break;
      this.#drop(name);
    }
    const used = this.#used.get(organizationId) ?? 0;
    if (this.#entries.has(key) || this.#bytes + bytes > this.budget || used + bytes > this.budget / 2) return;
    this.#entries.set(key, { block, bytes, organizationId, usedAt: now });
    this.#used.set(organizationId, used + bytes);
    this.#bytes += bytes;
  }

  #drop(key: string): void {
    const { bytes, organizationId } = this.#entries.get(key)!;
    this.#entries.delete(key);
    this.#bytes -= bytes;
    const left = this.#used.get(organizationId)! - bytes;
    if (left > 0) this.#used.set(organizationId, left);
    else this.#used.delete(organizationId);
  }
}
