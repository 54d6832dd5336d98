import { createHash } from 'node:crypto';
import type { RequestContext } from 'compiled-gateway';
import type { Pool } from 'pg';
import { fail } from '../../schema/errors.ts';
import { defaultFileQuota } from '../../schema/limits.ts';
import type { FileStore, IncomingFile } from '../../schema/request.ts';
import { isId, orUnavailable, query, requireAll, SizedCache, sql } from '../database/index.ts';
import type { RequestScope, Scope } from '../scope/index.ts';
import type { Services } from '../subgraph/index.ts';

/** How much an organization may store, and for how long. */
export interface FileStorageLimits {
  /** Maximum bytes of the files of one organization and of their pages. */
  quota: number;
  /** Days after the last use. */
  retentionDays: number;
}

export const defaultFileLimits: FileStorageLimits = { quota: defaultFileQuota, retentionDays: 180 };

/** The refusal of a file that does not fit the quota. */
export function quotaReached({ quota }: FileStorageLimits) {
  const size = `${Math.round(quota / 1024 / 1024)} MB`;
  return fail(
    'LIMIT_REACHED',
    `File storage limit reached. The files of an organization can take up to ${size}. Delete unused files first.`,
  );
}

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
  pool.query('delete from catalog.files where id = any($1::uuid[]) and organization_id = $2 and not ready and not kept', [
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

interface Place {
  inBucket: boolean;
  bytes: number;
}

async function placeOf({ services: { pool, bucket }, organizationId }: Scope, id: string): Promise<Place | undefined> {
  const { rows } = await pool.query<Place>(
    'select in_bucket as "inBucket", bytes::float8 from catalog.files where id = $1 and organization_id = $2',
    [id, organizationId],
  );
  if (rows[0]?.inBucket && !bucket) throw new Error('The file is in a bucket, but no bucket is configured');
  return rows[0];
}

/** Stream the content of a file of the organization. */
export async function* readFile(scope: Scope, id: string): AsyncGenerator<Buffer, void, void> {
  const { services, organizationId } = scope;
  const place = await placeOf(scope, id);
  if (!place) return;
  if (place.inBucket) yield* services.bucket!.get(objectKey(organizationId, id));
  else yield* readChunks(services.pool, id);
}

/** A part of a file by its number, from 0. Null if there is no such part. */
export async function readFilePart(scope: Scope, id: string, number: number): Promise<Buffer | null> {
  const { services, organizationId } = scope;
  const place = await placeOf(scope, id);
  if (!place) return null;
  if (!place.inBucket) return readChunk(services.pool, id, number);
  const from = number * CHUNK;
  if (from >= place.bytes) return null;
  const range = { from, to: Math.min(from + CHUNK, place.bytes) - 1 };
  return Buffer.concat(await Array.fromAsync(services.bucket!.get(objectKey(organizationId, id), range)));
}

const CHUNK = 256 * 1024;

/** Store the content of a file in the database. */
async function writeChunks(pool: Pool, fileId: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  let place = 0;
  for await (const bytes of chunked(content)) {
    await pool.query('insert into catalog.file_chunks (file_id, place, bytes) values ($1, $2, $3)', [fileId, place, bytes]);
    place += 1;
  }
}

async function* chunked(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of content) {
    pending.push(bytes);
    size += bytes.length;
    if (size < CHUNK) continue;
    yield Buffer.concat(pending);
    [pending, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(pending);
}

async function* readChunks(pool: Pool, fileId: string): AsyncGenerator<Buffer, void, void> {
  for (let place = 0; ; place++) {
    const bytes = await readChunk(pool, fileId, place);
    if (!bytes) return;
    yield bytes;
  }
}

async function readChunk(pool: Pool, fileId: string, place: number): Promise<Buffer | null> {
  const { rows } = await pool.query<{ bytes: Buffer }>('select bytes from catalog.file_chunks where file_id = $1 and place = $2', [
    fileId,
    place,
  ]);
  return rows[0]?.bytes ?? null;
}

/** The files that exist, in the order of their ids. They cannot be deleted until the transaction commits. */
export const holdFiles = ({ em, organizationId }: Scope, ids: readonly string[]): Promise<{ id: string }[]> =>
  query(
    em,
    sql<{ id: string }>`select id from catalog.files
       where id = any(${ids}::uuid[]) and organization_id = ${organizationId} and ready order by id for key share`,
  );

/** An upload that no mutation has used yet. */
export interface Upload {
  id: string;
  /** As the client sent it. */
  name: string;
  bytes: number;
}

/** The uploads of these ids, in their order. Throws `NOT_FOUND` unless all are complete and unused. */
export const findUploads = ({ em, organizationId }: Scope, ids: readonly string[]): Promise<Upload[]> =>
  requireAll(ids, 'File', (known) =>
    query(
      em,
      sql<Upload>`select id, name, bytes::float8 from catalog.files
         where id = any(${known}::uuid[]) and organization_id = ${organizationId} and not ready and not kept and hash is not null`,
    ),
  );

/** Keeps uploads for a record, in its transaction, until `deleteKeptFile`. Throws `NOT_FOUND` if one was used or deleted meanwhile. */
export async function keepUploads({ em, organizationId }: Scope, uploads: readonly Upload[]): Promise<void> {
  const kept = await query(
    em,
    sql`update catalog.files set kept = true
         where id = any(${uploads.map(({ id }) => id)}::uuid[]) and organization_id = ${organizationId} and not ready and not kept returning 1`,
  );
  if (kept.length < uploads.length) throw fail('NOT_FOUND', 'File not found');
}

/** Deletes the file of a record, in the transaction of the scope. */
export const deleteKeptFile = ({ em, organizationId }: Scope, id: string) =>
  query(em, sql`delete from catalog.files where id = ${id} and organization_id = ${organizationId} and kept`);

/** Fingerprints of files of the organization by id. Equal for files with the same name, type and content. */
export async function fileFingerprints({ em, organizationId }: Scope, ids: readonly string[]): Promise<Map<string, string>> {
  const wellFormed = ids.filter(isId);
  if (wellFormed.length === 0) return new Map();
  const files = await query(
    em,
    sql<{
      id: string;
      name: string;
      mime: string;
      hash: string;
    }>`select id, name, mime, encode(hash, 'hex') as hash from catalog.files
       where id = any(${wellFormed}::uuid[]) and organization_id = ${organizationId} and hash is not null`,
  );
  return new Map(files.map(({ id, name, mime, hash }) => [id, JSON.stringify([name, mime, hash])]));
}

/** Bytes of the shared URLs: the images of a few jobs. */
const BUDGET = 64 * 1024 * 1024;

interface SharedUrls {
  cache: SizedCache<string, string>;
  reading: Map<string, Promise<string>>;
}
const sharedUrls = new WeakMap<Services, SharedUrls>();

/** An image file as a `data:` URL. */
export async function dataUrlOf(scope: Scope, id: string, mime: string): Promise<string> {
  const bytes = Buffer.concat(await Array.fromAsync(readFile(scope, id)));
  return `data:${mime};base64,${bytes.toString('base64')}`;
}

/**
 * Like `dataUrlOf`, for a file that many items of a job read: they share one text. The content of a file never changes, but the file may
 * be deleted, so the caller must check that it exists.
 */
export function sharedDataUrlOf(scope: Scope, id: string, mime: string): Promise<string> {
  const key = `${scope.organizationId} ${id} ${mime}`;
  const { cache, reading }: SharedUrls = sharedUrls.get(scope.services) ?? { cache: new SizedCache(BUDGET), reading: new Map() };
  sharedUrls.set(scope.services, { cache, reading });
  const known = cache.get(key);
  if (known !== undefined) return Promise.resolve(known);
  const url = reading.get(key) ?? dataUrlOf(scope, id, mime);
  if (!reading.has(key)) {
    reading.set(key, url);
    const stored = url.then((text) => {
      cache.set(key, text, text.length);
      // The next item reads it again, so it counts as in use.
      cache.get(key);
    });
    stored.catch(() => {}).finally(() => reading.delete(key));
  }
  return url;
}
