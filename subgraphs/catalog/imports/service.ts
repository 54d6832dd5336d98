import { requireBalance } from '../../../platform/credits/index.ts';
import { type Bind, findById, query, requireAll, sql } from '../../../platform/database/index.ts';
import { holdFiles } from '../../../platform/files/index.ts';
import { containing, listPage } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeContent } from '../attributes/attribute-content.ts';
import { chooseAttributes } from '../attributes/service.ts';
import { readAttributeValues } from '../attributes/value-faults.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob, findJob, type Items } from '../jobs/service.ts';
import { promoteDrafts, readDrafts, requireFiles } from '../uploads/service.ts';
import type { ImportData, ImportDetails } from './data.ts';
import {
  type ImportAccount,
  type ImportAnswer,
  ImportItem,
  type ImportItemChange,
  type ImportItemsArguments,
  ImportNote,
  type ImportNotesArguments,
  type NewAiImportJob,
} from './entity.ts';
import { tableHeads } from './file-rows.ts';
import { withDuplicates } from './insert-items.ts';
import { checkMapping, confirmUses } from './mapping.ts';
import type { ImportTableMapping, TableMapping } from './mapping-types.ts';

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

/**
 * Changes an import item before it becomes a product. A failed item becomes pending again. Throws `NOT_FOUND` for an unknown item,
 * `INVALID_INPUT` for an answer that does not fit its question, and `UNPROCESSABLE` for an imported item.
 */
export async function updateImportItem(scope: Scope, id: string, { answers, ...change }: ImportItemChange): Promise<ImportItem> {
  const known = await findImportItem(scope, id);
  const contents = await readContents(scope, known, answers ?? []);
  return transaction(scope, async ({ em }) => {
    // Finalizing locks the job as well, so an item cannot change while it is being imported.
    await query(em, sql`select id from catalog.jobs where id = ${known.jobId} for update`);
    const item = await em.findOneOrFail(ImportItem, id, { refresh: true });
    if (item.status === 'completed') throw fail('UNPROCESSABLE', 'The item is already imported. Change its product instead.');
    let [data, details] = [item.data, item.details];
    for (const answer of answers ?? []) ({ data, details } = answered(data, details, answer, contents));
    const sent = Object.entries(change).filter(([, value]) => value !== undefined);
    data = { ...data, ...Object.fromEntries(sent) };
    if (change.name) details = without(details, 'name');
    const questionCount = details.questions.length;
    Object.assign(item, { data, details, questionCount, name: data.name, sku: data.sku, status: 'pending', errorMessage: null });
    return item;
  });
}

const questionOf = ({ questions }: ImportDetails, key: string) => {
  const question = questions.find((each) => each.key === key);
  if (!question) throw fail('INVALID_INPUT', `the item has no open question ${key}`);
  return question;
};

/** The answers about values, checked and with clean HTML, by slug. */
async function readContents(scope: Scope, { details }: ImportItem, answers: readonly ImportAnswer[]) {
  const values = answers.flatMap(({ key, answer = null }) => {
    const { slug, attributeId, attributeName, attributeType } = questionOf(details, key);
    return slug && answer !== null ? [[slug, { attributeId, attributeName, attributeType, value: answer }] as const] : [];
  });
  const [read = {}] = await readAttributeValues(scope, [Object.fromEntries(values)], { path: 'answers' });
  return new Map(Object.entries(read).map(([slug, { value }]) => [slug, value]));
}

interface Content {
  data: ImportData;
  details: ImportDetails;
}

const without = (details: ImportDetails, key: string): ImportDetails => ({
  ...details,
  questions: details.questions.filter((question) => question.key !== key),
});

function answered(
  data: ImportData,
  details: ImportDetails,
  { key, answer = null }: ImportAnswer,
  contents: ReadonlyMap<string, AttributeContent>,
): Content {
  const { kind, slug, column, cell, attributeId, attributeName, attributeType } = questionOf(details, key);
  if (kind === 'duplicate') return chosen(data, details, answer);
  const rest = without(details, key);
  if (kind === 'name') {
    if (typeof answer !== 'string' || answer.trim() === '' || answer.length > 256)
      throw fail('INVALID_INPUT', 'the name must have 1 to 256 characters');
    return { data: { ...data, name: answer.trim() }, details: rest };
  }
  if (answer === null || !slug) return { data, details: rest };
  const about = { attributeId: attributeId!, attributeName: attributeName!, attributeType: attributeType! };
  const value = { slug, column, cell, ...about, value: contents.get(slug)! };
  const source = rest.source.filter((each) => each.column !== column);
  return { data, details: { ...rest, values: [...rest.values, value], source } };
}

/** Takes the content of one of the rows that state the product. The other rows are no longer considered. */
function chosen(data: ImportData, details: ImportDetails, row: AttributeContent): Content {
  const other = details.others.find((each) => each.row.row === row);
  if (!other && details.rows[0]?.row !== row) throw fail('INVALID_INPUT', 'answer must be the number of one of the rows');
  if (!other) return { data, details: withDuplicates({ ...details, others: [] }, null) };
  const { values, source, questions, empty } = other;
  const rows = [other.row, ...details.rows.filter((each) => each.row !== row)];
  return { data: { ...other.data, sku: data.sku }, details: { rows, values, source, questions, empty, others: [] } };
}
