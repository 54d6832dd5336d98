import type { Pool } from 'pg';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';

/** How this database stores vectors. The migration chose it by the extensions of the server. */
export interface VectorColumn {
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
