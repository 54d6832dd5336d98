import { createHash } from 'node:crypto';
import type { RequestContext } from 'compiled-gateway';
import type { FileStore, IncomingFile } from '../../schema/files.ts';
import { isId, orUnavailable } from '../database/index.ts';
import type { RequestScope, Scope } from '../scope/index.ts';
import { readChunks, writeChunks } from './chunks.ts';
import { quotaReached } from './limits.ts';

/** The key of a file in the bucket. A trigger of the database builds the same key for deleted files. */
const objectKey = (organizationId: string, id: string) => `${organizationId}/${id}`;

/**
 * Stores files in the configured bucket, or else in the database, so that all processes can read them. Deleting an organization deletes
 * its files. A file is a draft until a mutation uses it.
 */
export function fileStore(scopeOf: (context: RequestContext) => Promise<RequestScope>): FileStore {
  return {
    keep: (file, context) => orUnavailable(scopeOf(context).then((scope) => keepDraft(scope, file))),
    async discard(ids, context) {
      if (ids.length > 0) await orUnavailable(scopeOf(context).then((scope) => discardDrafts(scope, ids)));
    },
  };
}

/** Locks the usage of the organization, so that concurrent uploads do not exceed the quota together. A trigger counts the file. */
const INSERT = `
  with usage as (
    insert into catalog.file_usage as u (organization_id) values ($1::uuid) on conflict (organization_id) do update set bytes = u.bytes
    returning bytes)
  insert into catalog.files (organization_id, name, mime, created_by_id, in_bucket, bytes)
  select $1::uuid, $2::text, $3::text, $4::uuid, $5::boolean, $6::bigint from usage where usage.bytes + $6::bigint <= $7::bigint returning id`;

async function keepDraft(
  { organizationId, caller, services: { pool, bucket, fileLimits } }: RequestScope,
  { name, type, bytes, content }: IncomingFile,
): Promise<string> {
  // Insert the row first, so that a failed upload leaves a row to clean up.
  const { rows } = await pool.query<{ id: string }>(INSERT, [
    ...[organizationId, name, type, caller.userId, Boolean(bucket)],
    ...[bytes, fileLimits.quota],
  ]);
  if (!rows[0]) throw quotaReached(fileLimits);
  const { id } = rows[0];
  try {
    const measure = { bytes: 0, hash: createHash('sha256') };
    const measured = measuring(content, measure);
    if (bucket) await bucket.put(objectKey(organizationId, id), measured, bytes);
    else await writeChunks(pool, id, measured);
    await pool.query('update catalog.files set bytes = $2, hash = $3 where id = $1', [id, measure.bytes, measure.hash.digest()]);
    return id;
  } catch (error) {
    await pool.query('delete from catalog.files where id = $1', [id]);
    throw error;
  }
}

const discardDrafts = ({ organizationId, services: { pool } }: RequestScope, ids: readonly string[]) =>
  pool.query('delete from catalog.files where id = any($1::uuid[]) and organization_id = $2 and not ready', [
    ids.filter(isId),
    organizationId,
  ]);

async function* measuring(content: AsyncIterable<Uint8Array>, measure: { bytes: number; hash: ReturnType<typeof createHash> }) {
  for await (const chunk of content) {
    measure.bytes += chunk.length;
    measure.hash.update(chunk);
    yield chunk;
  }
}

/** Stream the content of a file of the organization. */
export async function* readFile({ services, organizationId }: Scope, id: string): AsyncGenerator<Buffer, void, void> {
  const { pool, bucket } = services;
  const { rows } = await pool.query<{ inBucket: boolean }>(
    'select in_bucket as "inBucket" from catalog.files where id = $1 and organization_id = $2',
    [id, organizationId],
  );
  if (!rows[0]) return;
  if (!rows[0].inBucket) return yield* readChunks(pool, id);
  if (!bucket) throw new Error('The file is in a bucket, but no bucket is configured');
  yield* bucket.get(objectKey(organizationId, id));
}
