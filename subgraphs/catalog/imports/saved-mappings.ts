import { createHash } from 'node:crypto';
import type { GraphQLResolveInfo } from 'graphql';
import { clock, deleteById, lockName, query, readRows, sql } from '../../../platform/database/index.ts';
import { listByCursor } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { type Synonym, synonymKey } from './columns.ts';
import { checkUses, confirmUses, headerKey, markOf, requireAttributes } from './mapping.ts';
import { type ColumnUse, ImportMapping, type ImportMappingsArguments, type NewImportMapping } from './mapping-types.ts';

/** Maximum saved mappings of an organization. */
const MAX_SAVED = 500;
/** Mappings of the same columns that a proposal shows, and mappings that are asked for the meaning of headers. */
const [SHOWN_SAVED, ASKED] = [5, 20];
/** Headers that are looked up in saved mappings, and their length. */
const [MAX_KEYS, MAX_KEY] = [2_000, 256];

/** Equal for tables with the same columns in any order. */
const signatureOf = (headers: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([...new Set(headers.map(headerKey))].sort()))
    .digest('hex');

/** Saves a mapping, and replaces that of the same supplier for the same columns. Throws `NOT_FOUND` for unknown attributes. */
export async function saveImportMapping(scope: RequestScope, { supplier, columns }: NewImportMapping): Promise<ImportMapping> {
  checkUses(columns, 'input.columns');
  await requireAttributes(scope, columns);
  return scope.write(async (inner) => {
    const { em, organizationId } = inner;
    await lockName(em, `import mappings of ${organizationId}`);
    const uses = await confirmUses(inner, columns);
    const signature = signatureOf(uses.map(({ column }) => column));
    const synonyms = [...new Set(uses.flatMap((use) => (use.attributeId ? synonymKey(use.column) : [])))].filter(Boolean);
    const content = { supplier: supplier.trim(), signature, columns: uses, synonyms, savedAt: clock.now() };
    const known = await em.findOne(ImportMapping, { signature, supplier: content.supplier });
    if (known) return em.assign(known, content);
    if ((await em.count(ImportMapping)) >= MAX_SAVED)
      throw fail('UNPROCESSABLE', `An organization has at most ${MAX_SAVED} saved mappings.`);
    return em.create(ImportMapping, { ...content, organizationId });
  });
}

/** Saved mappings by the name of the supplier. */
export const listImportMappings = (scope: Scope, page: ImportMappingsArguments, info: GraphQLResolveInfo) =>
  listByCursor(scope, ImportMapping, { orderBy: { supplier: 'asc', id: 'asc' } }, page, info);

/** Later files no longer know its columns. Throws `NOT_FOUND`. */
export async function deleteImportMapping({ em }: Scope, id: string) {
  await deleteById(em, ImportMapping, id, 'Import mapping');
  return { id, deleted: true };
}

/** Saved mappings of the columns of each table, the last saved first. */
export async function findSaved(scope: Scope, tables: readonly (readonly string[])[]): Promise<ImportMapping[][]> {
  const { em, organizationId } = scope;
  const signatures = tables.map(signatureOf);
  const found = await query(
    em,
    sql<{ id: string }>`select m.id from unnest(${[...new Set(signatures)]}::text[]) as w (signature),
         lateral (select id from catalog.import_mappings where organization_id = ${organizationId} and signature = w.signature
                   order by saved_at desc, id desc limit ${SHOWN_SAVED}) m`,
  );
  const ids = found.map(({ id }) => id);
  const rows = await readRows(scope, ImportMapping, { where: { id: ids }, orderBy: { savedAt: 'desc', id: 'desc' } });
  const bySignature = Map.groupBy(rows, ({ signature }) => signature);
  return signatures.map((signature) => bySignature.get(signature) ?? []);
}

/** The attributes that saved mappings of other tables give to these headers. The last saved counts. */
export async function synonymsOf({ em, organizationId }: Scope, headers: readonly string[]): Promise<Map<string, Synonym>> {
  const wanted = [...new Set(headers.map(synonymKey))].filter((key) => key && key.length <= MAX_KEY).slice(0, MAX_KEYS);
  if (wanted.length === 0) return new Map();
  const rows = await query(
    em,
    sql<{ columns: ColumnUse[] }>`select columns from catalog.import_mappings
         where organization_id = ${organizationId} and synonyms && ${wanted}::text[] order by saved_at desc, id desc limit ${ASKED}`,
  );
  const keys = new Set(wanted);
  const known = new Map<string, Synonym>();
  for (const { columns } of rows)
    for (const { column, attributeId, unit, decimalMark } of columns) {
      const key = synonymKey(column);
      if (attributeId && keys.has(key) && !known.has(key)) known.set(key, { attributeId, unit, mark: markOf(decimalMark) });
    }
  return known;
}
