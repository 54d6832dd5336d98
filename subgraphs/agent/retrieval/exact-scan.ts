import { setImmediate as turn } from 'node:timers/promises';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { BlockCache } from './block-cache.ts';
import { type Block, loadBlock } from './vector-block.ts';
import type { VectorHit, VectorQuery } from './vector-query.ts';

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
