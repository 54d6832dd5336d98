import { requireBalance } from '../../../platform/credits/index.ts';
import { type Bind, findById, query, requireAll, sql } from '../../../platform/database/index.ts';
import { holdFiles } from '../../../platform/files/index.ts';
import { containing, listPage } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { chooseAttributes } from '../attributes/service.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob, findJob, type Items } from '../jobs/service.ts';
import { promoteDrafts, readDrafts, requireFiles } from '../uploads/service.ts';
import { ImportItem, ImportNote } from './entity.ts';
import { checkMapping, confirmUses } from './mapping.ts';
import type { TableMapping } from './mapping-entity.ts';
import type { ImportTableMapping } from './mapping-types.ts';
import { tableHeads } from './table-heads.ts';
import type { ImportAccount, ImportItemsArguments, ImportNotesArguments, NewAiImportJob } from './types.ts';

const MAX_FILES = 5;

/** Throws `NOT_FOUND`. */
export const findImportItem = ({ em }: Scope, id: string): Promise<ImportItem> => findById(em, ImportItem, id, 'Import item');

/**
 * Starts an import. Throws `INVALID_INPUT` naming each unreadable file, or what is wrong with the mapping; then no file is stored.
 * @param mapping the uses of columns, of tables of uploaded files
 */
export async function createAiImportJob(
  scope: RequestScope,
  input: NewAiImportJob,
  mapping: readonly ImportTableMapping[] = [],
): Promise<Job> {
  const { files, modelType, prompt = null, autoEnrich, enrichmentConfig } = input;
  const named = files?.length ? [...files, ...(input.uploadedFileIds ?? [])] : (input.uploadedFileIds ?? []);
  if (named.length === 0) throw fail('INVALID_INPUT', 'files must have at least 1 entry');
  if (named.length > MAX_FILES) throw fail('INVALID_INPUT', `files must have at most ${MAX_FILES} entries`);
  if (mapping.length === 0) await requireBalance(scope);
  const known = await requireFiles(scope, input.uploadedFileIds ?? []);
  const config = autoEnrich ? { ...enrichmentConfig } : null;
  if (config) await chooseAttributes(scope, config.attributeSetId, null);
  if (mapping.length > 0) await checkMapping(scope, mapping, await tableHeads(scope, known));
  const drafts = await readDrafts(scope, files ?? []);
  const broken = drafts.filter(({ fault }) => fault !== undefined);
  if (broken.length > 0) throw fail('INVALID_INPUT', broken.map(({ name, fault }) => `${name}: ${fault}`).join('; '));

  return scope.write(async (inner) => {
    const { uploadedFileIds: taken } = await promoteDrafts(inner, drafts);
    // Its items are counted by the pages of the files, so no file may disappear from here on.
    await requireAll(known, 'File', (ids) => holdFiles(inner, ids));
    const fileIds = [...taken, ...known];
    const tables: TableMapping[] = [];
    for (const { fileId, sheet, columns } of mapping)
      tables.push({ fileId: fileId.toLowerCase(), sheet, columns: await confirmUses(inner, columns) });
    const options = { prompt, autoEnrich, enrichmentConfig: config, importMapping: tables.length > 0 ? tables : null };
    const counts = { totalFiles: fileIds.length, totalExtracted: 0 };
    const job = { kind: 'ai-import', modelType, uploadedFileIds: fileIds, ...options, ...counts } as const;
    const { paid, ...items } = await filePages(inner, fileIds, tables);
    if (paid > 0 && tables.length > 0) await requireBalance(inner);
    return createJob(inner, { ...job, createdById: scope.caller.userId }, items);
  });
}

/** Pages of a mapped table that one item reads: up to 1,000 rows. */
const MAPPED_PAGES = 20;

/** One job item per page of the files, which a model reads, and per twenty pages of a mapped table. */
async function filePages({ em }: Scope, ids: string[], mapping: readonly TableMapping[]): Promise<Items & { paid: number }> {
  const tables = JSON.stringify(mapping.map(({ fileId, sheet }) => ({ fileId, sheet })));
  const parts = sql`
    select p.file_id, min(p.place) as place, count(*)::int as pages, p.mapped
      from (select o.file_id, o.place, o.sheet, m.sheet is not null as mapped,
                   case when m.sheet is null then o.place
                        else (row_number() over (partition by o.file_id, o.sheet order by o.place) - 1) / ${sql.lit(MAPPED_PAGES)} end as part
              from catalog.file_pages o
              left join jsonb_to_recordset(${tables}::jsonb) as m ("fileId" uuid, sheet text) on m."fileId" = o.file_id and m.sheet = o.sheet
             where o.file_id = any(${ids}::uuid[])) p
     group by p.file_id, p.mapped, case when p.mapped then p.sheet end, p.part`;
  const [counted] = await query(
    em,
    sql<{
      n: number;
      paid: number;
    }>`select count(*)::int as n, count(*) filter (where not mapped)::int as paid from (${parts}) as parts`,
  );
  return {
    count: counted!.n,
    paid: counted!.paid,
    insert: ({ em: inner, organizationId }, jobId) =>
      query(
        inner,
        sql`insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, phase, file_id, file_page, page_count, without_model)
            select gen_random_uuid(), ${organizationId}, ${jobId}, n - 1, n - 1, 0, file_id, place, pages, mapped
              from (select *, row_number() over (order by array_position(${ids}::uuid[], file_id), place) as n from (${parts}) as parts) as counted`,
      ),
  };
}

const orders = {
  file: 'r.position asc, r.id asc',
  'name-asc': 'lower(r.name) asc, r.id asc',
  'name-desc': 'lower(r.name) desc, r.id desc',
  'type-asc': 'r.type asc, r.id asc',
  'type-desc': 'r.type desc, r.id desc',
} as const;

/** The items of an import. Throws `NOT_FOUND` for an unknown job. */
export async function listImportItems(
  scope: Scope,
  { jobId, searchQuery, orderBy, sort, inQuestion, ...page }: ImportItemsArguments,
) {
  await findJob(scope, jobId, 'ai-import');
  const search = searchQuery.trim();
  const conditions = (bind: Bind) => {
    const pattern = search && containing(search, bind);
    const isFound = pattern && `(lower(r.name) like ${pattern} or lower(r.sku) like ${pattern})`;
    return [isFound, inQuestion && 'r.question_count > 0'].filter(Boolean).join(' and ');
  };
  const matching = search || inQuestion ? conditions : undefined;
  return listPage(scope, ImportItem, { where: { jobId }, ordering: orders[sort ?? orderBy], matching }, page);
}

/** Notes about the rows that became no item. Throws `NOT_FOUND` for an unknown job. */
export async function listImportNotes(scope: Scope, { jobId, kind, ...page }: ImportNotesArguments) {
  await findJob(scope, jobId, 'ai-import');
  const ordering = 'r.position asc, r.id asc';
  return listPage(scope, ImportNote, { where: { jobId, kind: kind ?? undefined }, ordering }, page);
}

/** Throws `NOT_FOUND` for an unknown job. */
export async function readAccount(scope: Scope, id: string): Promise<ImportAccount> {
  const { id: jobId, rowsRead, totalExtracted } = await findJob(scope, id, 'ai-import');
  const [counted] = await query(
    scope.em,
    sql<Omit<ImportAccount, 'rowsRead' | 'items'>>`select
           (select count(*)::int from catalog.import_items where job_id = ${jobId} and question_count > 0) as "inQuestion",
           coalesce(sum(n) filter (where kind = 'merged'), 0)::int as merged,
           coalesce(sum(n) filter (where kind = 'duplicate'), 0)::int as duplicates,
           coalesce(sum(n) filter (where kind = 'skipped'), 0)::int as skipped,
           array(select f.name || ', page ' || i.file_page + 1 || ': ' || i.error_message
                   from catalog.job_items i join catalog.files f on f.id = i.file_id
                  where i.job_id = ${jobId} and i.status = 'failed' order by i.ordinal limit 20) as unread
      from (select kind, count(*) as n from catalog.import_notes
             where organization_id = ${scope.organizationId} and job_id = ${jobId} group by kind) as notes`,
  );
  return { rowsRead: rowsRead ?? 0, items: totalExtracted ?? 0, ...counted! };
}
