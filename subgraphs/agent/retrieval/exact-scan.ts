import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Pool } from 'pg';
import { DIMENSIONS } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';

/** Passages per block. A block is what is read, cached and scanned at once; it scans in about 2 ms. */
const BLOCK = 4_096;
/** Bytes of vectors in this process: about 250,000 passages. The rest is read for each question. */
export const BUDGET = 512 * 1024 * 1024;

/** The blocks of one database, and the reads in progress, which concurrent questions share. */
interface Blocks {
  cache: BlockCache;
  loading: Map<string, Promise<Block>>;
}

const allBlocks = new WeakMap<Services, Blocks>();

interface IndexedSource {
  id: string;
  version: string;
  count: number;
}

const SOURCES = `
  select id, index_version::text as version, chunk_count as count from agent.sources
   where organization_id = $1 and agent_id = $2 and chunk_count > 0`;

/** Compares the question with every passage of the agent. */
export async function scanVectors(scope: Scope, { agentId, vector, model, limit }: VectorQuery): Promise<VectorHit[]> {
  const { services, organizationId, signal } = scope;
  const { rows } = await services.statements.run<IndexedSource>(
    { name: 'retrieval sources', text: SOURCES, values: [organizationId, agentId] },
    signal,
  );
  const best = new Best(limit);
  for (const source of rows) {
    for (let from = 0; from < source.count; from += BLOCK) {
      const { ids, vectors } = await blockOf(services, organizationId, source, from, model);
      for (const [at, id] of ids.entries()) best.offer(id, dot(vectors, at * vector.length, vector));
      await yieldToEventLoop();
      signal?.throwIfAborted();
    }
  }
  return best.hits;
}

/** A block of a source. The version of the index is part of the key, so a replaced index is never read. */
async function blockOf(
  services: Services,
  organizationId: string,
  { id, version }: IndexedSource,
  from: number,
  model: string,
): Promise<Block> {
  const { cache, loading: reads } = allBlocks.get(services) ?? { cache: new BlockCache(BUDGET), loading: new Map() };
  allBlocks.set(services, { cache, loading: reads });
  const key = `${id} ${version} ${from} ${model}`;
  const known = cache.get(key) ?? reads.get(key);
  if (known) return known;
  const loading = loadBlock(services.pool, { organizationId, sourceId: id, from, to: from + BLOCK, model });
  reads.set(key, loading);
  try {
    const block = await loading;
    cache.offer(key, organizationId, block);
    return block;
  } finally {
    reads.delete(key);
  }
}

/** Four sums at a time, which a processor computes in parallel. The number of dimensions is a multiple of four. */
function dot(vectors: Float32Array, start: number, vector: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < vector.length; at += 4) {
    const from = start + at;
    a += vectors[from]! * vector[at]!;
    b += vectors[from + 1]! * vector[at + 1]!;
    c += vectors[from + 2]! * vector[at + 2]!;
    d += vectors[from + 3]! * vector[at + 3]!;
  }
  return a + b + c + d;
}

/** Keeps the nearest passages. */
class Best {
  readonly hits: VectorHit[] = [];

  constructor(private readonly limit: number) {}

  offer(id: string, similarity: number): void {
    const { hits, limit } = this;
    if (hits.length === limit && similarity <= hits[limit - 1]!.similarity) return;
    let at = hits.length;
    while (at > 0 && hits[at - 1]!.similarity < similarity) at -= 1;
    hits.splice(at, 0, { id, similarity });
    if (hits.length > limit) hits.pop();
  }
}

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

/** Vectors of consecutive passages, one after the other. */
interface Block {
  ids: string[];
  vectors: Float32Array;
}

interface Range {
  organizationId: string;
  sourceId: string;
  /** First position. */
  from: number;
  /** Position after the last. */
  to: number;
  model: string;
}

const TEXT = `
  select id, array_send(embedding) as embedding from agent.chunks
   where organization_id = $1 and source_id = $2 and position >= $3 and position < $4 and embedding_model = $5 order by position`;

/** Bytes before the first element of an array with one dimension: three numbers, its length and its lower bound. */
const ARRAY_HEAD = 20;
/** Bytes of an element: its length and its value. */
const ELEMENT = 8;

/** Reads vectors in PostgreSQL's binary format, because parsing numbers from text takes much longer. */
async function loadBlock(pool: Pool, { organizationId, sourceId, from, to, model }: Range): Promise<Block> {
  const values = [organizationId, sourceId, from, to, model];
  const { rows } = await pool.query<{ id: string; embedding: Buffer }>({ name: 'retrieval block', text: TEXT, values });
  const vectors = new Float32Array(rows.length * DIMENSIONS);
  for (const [row, { embedding }] of rows.entries()) {
    const start = row * DIMENSIONS;
    for (let at = 0; at < DIMENSIONS; at += 1) vectors[start + at] = embedding.readFloatBE(ARRAY_HEAD + at * ELEMENT + 4);
  }
  return { ids: rows.map(({ id }) => id), vectors };
}

export interface VectorHit {
  id: string;
  /** Cosine of the angle between passage and question, at most 1. */
  similarity: number;
}

export interface VectorQuery {
  agentId: string;
  vector: Float32Array;
  /** Name of the model of the vector. Passages of other models are not comparable. */
  model: string;
  limit: number;
  /** Number of passages of the agent. */
  total: number;
}
