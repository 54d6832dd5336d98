import { setImmediate as turn } from 'node:timers/promises';
import { SizedCache } from 'compiled-gateway/cache';
import type { Scope } from '../../common/scope.ts';
import type { Services } from '../../common/services.ts';
import { type Block, loadBlock } from './vector-block.ts';
import type { VectorHit, VectorQuery } from './vector-query.ts';

/** Passages per block. A block is what is read, cached and scanned at once; it scans in about 2 ms. */
const BLOCK = 4_096;
/** Bytes of vectors in this process: about 120,000 passages. The rest is read for each question. */
const BUDGET = 256 * 1024 * 1024;

/** The blocks of one database, and the reads in progress, which concurrent questions share. */
class BlockCache {
  readonly blocks = new SizedCache<string, Block>(BUDGET);
  readonly loading = new Map<string, Promise<Block>>();
}

const caches = new WeakMap<Services, BlockCache>();

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
      await turn();
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
  const cache = caches.get(services) ?? new BlockCache();
  caches.set(services, cache);
  const key = `${id} ${version} ${from} ${model}`;
  const known = cache.blocks.get(key) ?? cache.loading.get(key);
  if (known) return known;
  const loading = loadBlock(services.pool, { organizationId, sourceId: id, from, to: from + BLOCK, model });
  cache.loading.set(key, loading);
  try {
    const block = await loading;
    cache.blocks.set(key, block, block.vectors.byteLength + block.ids.length * 100);
    return block;
  } finally {
    cache.loading.delete(key);
  }
}

function dot(vectors: Float32Array, start: number, vector: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += vectors[start + at]! * vector[at]!;
  return sum;
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
