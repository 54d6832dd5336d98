import type { SchemaPart } from 'compiled-gateway';
import type { Pool } from 'pg';
import { type Page, type PageRequest, paginate } from '../lists/index.ts';
import { countedPage } from './counted-page.ts';

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
  insert into usage.schemas (hash, text, parts) values ($1, $2, $3)
  on conflict (hash) do update set seen_at = now(), parts = excluded.parts`;
const FORGET = `
  delete from usage.schemas where hash in (select hash from usage.schemas order by seen_at desc offset ${MAX_VERSIONS})`;

/** Record the schema that a gateway serves. */
export async function recordSchema(
  pool: Pool,
  { hash, text, parts }: Pick<SchemaVersion, 'hash' | 'text'> & { parts: readonly SchemaPart[] },
): Promise<void> {
  await pool.query(RECORD, [hash, text, JSON.stringify(parts)]);
  await pool.query(FORGET);
}

const LIST = `
  select hash, text, created_at as "createdAt", seen_at as "seenAt", count(*) over ()::int as total
    from usage.schemas order by seen_at desc, hash limit $1 offset $2`;

/** The schemas that gateways served, the current one first. */
export async function listSchemas(pool: Pool, request: PageRequest): Promise<Page<SchemaVersion>> {
  const { rows, total } = await countedPage(request, (...slice) => pool.query(LIST, slice));
  const nodes = rows.map(({ hash, text, createdAt, seenAt }) => ({
    hash,
    text,
    createdAt: new Date(createdAt),
    seenAt: new Date(seenAt),
  }));
  return paginate(nodes, request, total);
}
