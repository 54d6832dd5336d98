import type { Pool } from 'pg';
import { DIMENSIONS } from '../../../platform/model/index.ts';

/** Vectors of consecutive passages, one after the other. */
export interface Block {
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
export async function loadBlock(pool: Pool, { organizationId, sourceId, from, to, model }: Range): Promise<Block> {
  const values = [organizationId, sourceId, from, to, model];
  const { rows } = await pool.query<{ id: string; embedding: Buffer }>({ name: 'retrieval block', text: TEXT, values });
  const vectors = new Float32Array(rows.length * DIMENSIONS);
  for (const [row, { embedding }] of rows.entries()) {
    const start = row * DIMENSIONS;
    for (let at = 0; at < DIMENSIONS; at += 1) vectors[start + at] = embedding.readFloatBE(ARRAY_HEAD + at * ELEMENT + 4);
  }
  return { ids: rows.map(({ id }) => id), vectors };
}
