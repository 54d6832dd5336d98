import { availableParallelism } from 'node:os';
import { query, sql } from '../../common/database.ts';
import { readFile } from '../../common/files/store.ts';
import { requireAll } from '../../common/ids.ts';
import { type RequestScope, type Scope, transaction } from '../../common/scope.ts';
import { FileFault } from './pages.ts';
import { readApart } from './reading/apart.ts';
import { Turns } from './turns.ts';
import type { UploadedFiles } from './types.ts';

/** What a file may take to be read: several times what one of the largest size takes. */
const limits = { milliseconds: 30_000, megabytes: 768 };
const turns = new Turns(Math.max(2, availableParallelism() - 1));

interface Draft {
  id: string;
  name: string;
  mime: string;
}

/** Take up drafts of files, each by itself: one that cannot be read is removed and named, the others stay. */
export async function uploadFiles(scope: RequestScope, ids: string[]): Promise<UploadedFiles> {
  const uploadedFileIds: string[] = [];
  const errors: { fileName: string; error: string }[] = [];
  for (const draft of await draftsOf(scope, ids)) {
    const fault = await takeUp(scope, draft);
    if (fault === undefined) uploadedFileIds.push(draft.id);
    else errors.push({ fileName: draft.name, error: fault });
  }
  return { success: errors.length === 0, uploadedFileIds, errors: errors.length > 0 ? errors : null };
}

const draftsOf = ({ em, organizationId }: Scope, ids: readonly string[]): Promise<Draft[]> =>
  requireAll(ids, 'File', (known) =>
    query(
      em,
      sql<Draft>`select id, name, mime from catalog.files
         where id = any(${known}::uuid[]) and organization_id = ${organizationId} and not ready`,
    ),
  );

/** Why the file cannot be used, if so. */
async function takeUp(scope: RequestScope, { id, mime }: Draft): Promise<string | undefined> {
  try {
    const lists = await turns.take(scope.organizationId, async () =>
      readApart(mime, await bytesOf(scope, id), limits, scope.request.signal),
    );
    await transaction(scope, async ({ em }) => {
      for (const list of lists) {
        await query(
          em,
          sql`insert into catalog.file_pages (file_id, place, content)
              select ${id}, n - 1 + (select count(*) from catalog.file_pages where file_id = ${id}), page
                from json_array_elements(${list}::json) with ordinality as given (page, n)`,
        );
      }
      await query(em, sql`update catalog.files set ready = true where id = ${id}`);
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    await removeFiles(scope, [id]);
    return error.message;
  }
}

/** Files that nothing refers to yet. */
export async function removeFiles({ em, organizationId }: Scope, ids: readonly string[]): Promise<void> {
  await query(em, sql`delete from catalog.files where id = any(${ids}::uuid[]) and organization_id = ${organizationId}`);
}

/** In a buffer that can be handed to another thread. */
async function bytesOf(scope: Scope, id: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(Buffer.concat(await Array.fromAsync(readFile(scope, id))));
}

/** The ids of the files, each once. Throws `NOT_FOUND` with `missingIds` unless all exist and were read. */
export async function requireFiles({ em, organizationId }: Scope, ids: readonly string[]): Promise<string[]> {
  const found = await requireAll(ids, 'File', (known) =>
    query(
      em,
      sql<{ id: string }>`select id from catalog.files
         where id = any(${known}::uuid[]) and organization_id = ${organizationId} and ready`,
    ),
  );
  return found.map(({ id }) => id);
}
