import { createHash } from 'node:crypto';
import type { RequestContext } from 'compiled-gateway';
import type { FileStore, IncomingFile } from '../../../schema/files.ts';
import { isId } from '../ids.ts';
import type { RequestScope, Scope } from '../scope.ts';
import { orUnavailable } from '../unavailable.ts';
import { readChunks, writeChunks } from './chunks.ts';

/** Of a file that lies in the bucket. A trigger writes the same for one that is gone. */
const objectKey = (organizationId: string, id: string) => `${organizationId}/${id}`;

/**
 * Files where every process reaches them, in the bucket of the configuration or else in the database; they go with their organization.
 * A file is a draft until it is taken up.
 */
export function fileStore(scopeOf: (context: RequestContext) => Promise<RequestScope>): FileStore {
  return {
    keep: (file, context) => orUnavailable(scopeOf(context).then((scope) => keepDraft(scope, file))),
    async discard(ids, context) {
      if (ids.length > 0) await orUnavailable(scopeOf(context).then((scope) => discardDrafts(scope, ids)));
    },
  };
}

async function keepDraft(
  { organizationId, caller, services: { pool, bucket } }: RequestScope,
  { name, type, bytes, content }: IncomingFile,
): Promise<string> {
  // The row first: whatever becomes of the bytes, something knows of them.
  const { rows } = await pool.query<{ id: string }>(
    `insert into catalog.files (organization_id, name, mime, created_by_id, in_bucket) values ($1, $2, $3, $4, $5) returning id`,
    [organizationId, name, type, caller.userId, Boolean(bucket)],
  );
  const { id } = rows[0]!;
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
  for await (const part of content) {
    measure.bytes += part.length;
    measure.hash.update(part);
    yield part;
  }
}

/** The bytes of a file of the organization, a part at a time. */
export async function* readFile({ services, organizationId }: Scope, id: string): AsyncGenerator<Buffer, void, void> {
  const { pool, bucket } = services;
  const { rows } = await pool.query<{ inBucket: boolean }>(
    'select in_bucket as "inBucket" from catalog.files where id = $1 and organization_id = $2',
    [id, organizationId],
  );
  if (!rows[0]) return;
  if (!rows[0].inBucket) return yield* readChunks(pool, id);
  if (!bucket) throw new Error('A file lies in a bucket, and none is configured');
  yield* bucket.get(objectKey(organizationId, id));
}
