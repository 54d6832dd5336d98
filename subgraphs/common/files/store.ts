import type { FileStore } from '../../../schema/files.ts';
import type { RequestContext } from '../../../schema/request.ts';
import { isId } from '../ids.ts';
import type { RequestScope, Scope } from '../scope.ts';

const CHUNK = 256 * 1024;

/**
 * Files in the database, in chunks: every process reaches them, and they go with their organization. A file is a draft until
 * it is taken up.
 */
export function fileStore(scopeOf: (context: RequestContext) => Promise<RequestScope>): FileStore {
  return {
    async keep({ name, type, content }, context) {
      const scope = await scopeOf(context);
      const { organizationId, caller, services } = scope;
      // What a crash left behind.
      await services.pool.query(
        `delete from catalog.files where organization_id = $1 and not ready and created_at < now() - interval '1 day'`,
        [organizationId],
      );
      const { rows } = await services.pool.query<{ id: string }>(
        `insert into catalog.files (organization_id, name, mime, created_by_id) values ($1, $2, $3, $4) returning id`,
        [organizationId, name, type, caller.userId],
      );
      const { id } = rows[0]!;
      try {
        await writeChunks(scope, id, content);
        return id;
      } catch (error) {
        await services.pool.query('delete from catalog.files where id = $1', [id]);
        throw error;
      }
    },
    async discard(ids, context) {
      if (ids.length === 0) return;
      const { organizationId, services } = await scopeOf(context);
      await services.pool.query('delete from catalog.files where id = any($1::uuid[]) and organization_id = $2 and not ready', [
        ids.filter(isId),
        organizationId,
      ]);
    },
  };
}

async function writeChunks({ services }: Scope, id: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  let [place, total] = [0, 0];
  for await (const bytes of chunked(content)) {
    await services.pool.query('insert into catalog.file_chunks (file_id, place, bytes) values ($1, $2, $3)', [id, place, bytes]);
    place += 1;
    total += bytes.length;
  }
  await services.pool.query('update catalog.files set bytes = $2 where id = $1', [id, total]);
}

async function* chunked(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of content) {
    waiting.push(bytes);
    size += bytes.length;
    if (size < CHUNK) continue;
    yield Buffer.concat(waiting);
    [waiting, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/** The bytes of a file of the organization, a chunk at a time. */
export async function* readFile({ services, organizationId }: Scope, id: string): AsyncGenerator<Buffer, void, void> {
  for (let place = 0; ; place++) {
    const { rows } = await services.pool.query<{ bytes: Buffer }>(
      `select c.bytes from catalog.file_chunks c join catalog.files f on f.id = c.file_id
        where f.id = $1 and f.organization_id = $2 and c.place = $3`,
      [id, organizationId, place],
    );
    if (!rows[0]) return;
    yield rows[0].bytes;
  }
}
