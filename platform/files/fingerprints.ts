import { isId, query, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';

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
