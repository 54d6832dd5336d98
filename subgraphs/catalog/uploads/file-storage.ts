import { isId, query, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { FileStorage } from './entity.ts';

/** Deletes a file with its content. Throws `NOT_FOUND`, and `CONFLICT` while an open job uses it. */
export async function deleteFile(scope: RequestScope, id: string): Promise<{ id: string; deleted: true }> {
  if (!isId(id)) throw notFound();
  return scope.write(async ({ em, organizationId }) => {
    // The lock comes first: the next statement then sees every job that was created with the file.
    const [file] = await query(
      em,
      sql<{ id: string }>`select id from catalog.files
         where id = ${id} and organization_id = ${organizationId} and ready for update`,
    );
    if (!file) throw notFound();
    const [user] = await query(
      em,
      sql`select 1 from catalog.jobs
           where uploaded_file_ids @> array[${file.id}]::uuid[] and uploaded_file_ids <> '{}' and status in ('pending', 'processing') limit 1`,
    );
    if (user) throw fail('CONFLICT', 'A job that has not ended uses the file.');
    await query(em, sql`delete from catalog.files where id = ${file.id}`);
    return { id: file.id, deleted: true };
  });
}

const notFound = () => fail('NOT_FOUND', 'File not found');

/** The storage that the files of the organization take. */
export async function fileStorage({ em, organizationId, services }: Scope): Promise<FileStorage> {
  const [usage] = await query(
    em,
    sql<{ bytes: number }>`select bytes::float8 from catalog.file_usage where organization_id = ${organizationId}`,
  );
  const { quota: limit, retentionDays } = services.fileLimits;
  return { bytes: usage?.bytes ?? 0, limit, retentionDays };
}
