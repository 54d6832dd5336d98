import type { ServedSchema } from '../usage/storing.ts';
import type { Registry } from './registry-database.ts';
import { type Counted, countedRows, type Slice } from './registry-database.ts';

/** A schema of the graph for its callers. */
export interface SchemaVersion {
  hash: string;
  /** SDL. */
  text: string;
  createdAt: Date;
  seenAt: Date;
}

/** Versions that are kept. */
const MAX_VERSIONS = 200;

const RECORD = `
  insert into registry.schemas (hash, text, parts) values ($1, $2, $3)
  on conflict (hash) do update set seen_at = now(), parts = excluded.parts`;
const FORGET = `
  delete from registry.schemas where hash in (select hash from registry.schemas order by seen_at desc offset ${MAX_VERSIONS})`;

/** PostgreSQL stores neither null characters nor halves of surrogate pairs. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/** Record the schema that a gateway serves. */
export async function recordSchema(registry: Registry, { hash, text, parts }: ServedSchema): Promise<void> {
  await registry.query(RECORD, [
    hash,
    storable(text),
    JSON.stringify(parts, (_, value) => (typeof value === 'string' ? storable(value) : value)),
  ]);
  await registry.query(FORGET);
}

const LIST = `
  select hash, text, created_at as "createdAt", seen_at as "seenAt", count(*) over ()::int as total
    from registry.schemas order by seen_at desc, hash limit $1 offset $2`;

/** The schemas that gateways served, the current one first. */
export async function listSchemas(registry: Registry, slice: Slice): Promise<Counted<SchemaVersion>> {
  const { rows, total } = await countedRows(slice, (...part) => registry.query<SchemaVersion & { total: number }>(LIST, part));
  const nodes = rows.map(({ hash, text, createdAt, seenAt }) => ({
    hash,
    text,
    createdAt: new Date(createdAt),
    seenAt: new Date(seenAt),
  }));
  return { nodes, total };
}
