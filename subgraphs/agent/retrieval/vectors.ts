import type { Pool } from 'pg';
import { query, sql } from '../../../platform/database/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { scanVectors, type VectorHit, type VectorQuery } from './exact-scan.ts';

/** Up to this size an exact scan takes a fraction of a second. The index misses passages whose topic is rare among all agents. */
const EXACT = 100_000;
/** Candidates that the index search keeps. More candidates find more of the nearest passages. */
const SEARCH_WIDTH = 200;

/** The passages of an agent nearest to a vector, best first. */
export async function searchVectors(scope: Scope, request: VectorQuery): Promise<VectorHit[]> {
  const column = await vectorColumnOf(scope.services);
  if (column.type === 'real[]') return scanVectors(scope, request);
  return request.total <= EXACT ? searchExactly(scope, column, request) : searchIndex(scope, column, request);
}

async function searchExactly(
  { services: { statements }, organizationId, signal }: Scope,
  { literal }: VectorColumn,
  { agentId, vector, model, limit }: VectorQuery,
): Promise<VectorHit[]> {
  // The offset is a barrier for the planner: no index serves the order, and each distance is computed once.
  const text = `
    select id, (1 - distance)::float8 as similarity from (
      select id, embedding <=> $4::vector as distance from agent.chunks
       where organization_id = $1 and agent_id = $2 and embedding_model = $3 offset 0) as own
     order by distance, id limit $5`;
  const values = [organizationId, agentId, model, literal(vector), limit];
  return (await statements.run<VectorHit>({ name: 'retrieval vectors', text, values }, signal)).rows;
}

function searchIndex(
  scope: Scope,
  { literal, iterates }: VectorColumn,
  { agentId, vector, model, limit }: VectorQuery,
): Promise<VectorHit[]> {
  const target = sql`${literal(vector)}::vector`;
  return transaction(scope, async ({ em, organizationId }) => {
    await query(em, sql`select set_config('hnsw.ef_search', ${String(SEARCH_WIDTH)}, true)`);
    if (iterates) await query(em, sql`select set_config('hnsw.iterative_scan', 'strict_order', true)`);
    return query(
      em,
      sql<VectorHit>`select id, (1 - (embedding <=> ${target}))::float8 as similarity from agent.chunks
         where organization_id = ${organizationId} and agent_id = ${agentId} and embedding_model = ${model}
         order by embedding <=> ${target} limit ${limit}`,
    );
  });
}

/** A passage near the question. */

/** How this database stores vectors. The migration chose it by the extensions of the server. */
interface VectorColumn {
  /** SQL type of the column. `vector` has an HNSW index; `real[]` is scanned by the process. */
  type: 'vector' | 'real[]';
  /** The text form of a vector, to be cast to the type. */
  literal(vector: Float32Array): string;
  /** Whether the index continues its search until enough rows match the filter (pgvector 0.8). */
  iterates: boolean;
}

const columns = new WeakMap<Services, Promise<VectorColumn>>();

/** Notified when the type of the column has changed. */
export const COLUMN_CHANNEL = 'vector_column';

const watched = new WeakSet<Services>();

/** Reads the choice once per process, and again after a conversion. */
export function vectorColumnOf(services: Services): Promise<VectorColumn> {
  const known = columns.get(services);
  if (known) return known;
  if (!watched.has(services)) services.notifications.on(COLUMN_CHANNEL, () => columns.delete(services));
  watched.add(services);
  const reading = readColumn(services.pool);
  columns.set(services, reading);
  reading.catch(() => columns.delete(services));
  return reading;
}

async function readColumn(pool: Pool): Promise<VectorColumn> {
  const { rows } = await pool.query<{ type: string; version: string | null }>(
    `select format_type(atttypid, null) as type, (select extversion from pg_extension where extname = 'vector') as version
       from pg_attribute where attrelid = 'agent.chunks'::regclass and attname = 'embedding'`,
  );
  const { type, version } = rows[0]!;
  const isVector = type === 'vector';
  log.debug({ type, version }, 'Vectors of knowledge sources');
  return {
    type: isVector ? 'vector' : 'real[]',
    literal: (vector) => (isVector ? `[${vector.join()}]` : `{${vector.join()}}`),
    iterates: isVector && Number(version?.split('.')[1] ?? 0) >= 8,
  };
}
