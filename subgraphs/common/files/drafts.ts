import { query, sql } from '../database.ts';
import { isId } from '../ids.ts';
import type { Scope } from '../scope.ts';

/** The content of files of the organization by their ids: the same when the same file is sent under the same name again. */
export async function contentsOf({ em, organizationId }: Scope, ids: readonly string[]): Promise<Map<string, string>> {
  const wanted = ids.filter(isId);
  if (wanted.length === 0) return new Map();
  const files = await query(
    em,
    sql<{
      id: string;
      name: string;
      mime: string;
      hash: string;
    }>`select id, name, mime, encode(hash, 'hex') as hash from catalog.files
       where id = any(${wanted}::uuid[]) and organization_id = ${organizationId} and hash is not null`,
  );
  return new Map(files.map(({ id, name, mime, hash }) => [id, JSON.stringify([name, mime, hash])]));
}
