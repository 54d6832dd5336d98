import type { GraphQLResolveInfo } from 'graphql';
import { requireBalance } from '../../../platform/credits/index.ts';
import {
  type Bind,
  conflictIfTaken,
  findById,
  isId,
  query,
  readRows,
  type StoredCount,
  sql,
} from '../../../platform/database/index.ts';
import { holdFiles } from '../../../platform/files/index.ts';
import { listByCursor, listPage, type PageRequest } from '../../../platform/lists/index.ts';
import { post } from '../../../platform/queues/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { type EnumValue, enums } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { Counter } from '../stats/entity.ts';
import { Job, JobItem, type JobsArguments } from './entity.ts';
import { kindOf } from './job-kind.ts';
import { appendChange } from './job-progress.ts';

type Kind = EnumValue<'JobKind'>;

export const JOB_COLUMNS = [
  'id',
  'organizationId',
  'kind',
  'status',
  'modelType',
  'websearch',
  'extractImages',
  'includeExistingAttributes',
  'overwrite',
  'useExamples',
  'agreement',
  'autoAccept',
  'attributeSetId',
  'attributeIds',
  'uploadedFileIds',
  'rerunOfId',
  'cost',
  'totalFiles',
  'totalExtracted',
  'rowsRead',
  'importJobId',
  'importCounts',
  'prompt',
  'fileName',
  'inputColumns',
  'paused',
  'pauseReason',
  'totalCount',
  'processedCount',
  'successCount',
  'failedCount',
  'errorSummary',
  'sequence',
  'createdById',
  'createdAt',
  'startedAt',
  'completedAt',
] as const;
export const ITEM_COLUMNS = [
  'id',
  'organizationId',
  'jobId',
  'ordinal',
  'productId',
  'label',
  'inputData',
  'referenceData',
  'status',
  'startedAt',
  'completedAt',
  'errorMessage',
  'enrichedData',
  'provenance',
  'exampleIds',
  'validationResults',
  'overallScore',
  'results',
  'cost',
  'createdAt',
] as const;

/** Jobs that meet the given conditions, newest first. */
export function listJobs(
  scope: Scope,
  { kind, status, createdBy, createdSince, createdBefore, ...page }: JobsArguments,
  info: GraphQLResolveInfo,
) {
  const isKnown = createdBy == null || isId(createdBy);
  const conditions = (bind: Bind) => [
    ...(createdSince ? [`r.created_at >= ${bind(createdSince)}::timestamptz`] : []),
    ...(createdBefore ? [`r.created_at < ${bind(createdBefore)}::timestamptz`] : []),
    ...(isKnown ? [] : ['false']),
  ];
  const rows = {
    columns: JOB_COLUMNS,
    where: { kind: kind ?? undefined, status: status ?? undefined, createdById: (isKnown && createdBy) || undefined },
    matching: conditions(() => '').length > 0 ? (bind: Bind) => conditions(bind).join(' and ') : undefined,
    orderBy: { createdAt: 'desc', id: 'desc' },
  } as const;
  const isCounted = rows.matching === undefined && rows.where.createdById === undefined;
  return listByCursor(scope, Job, rows, page, info, isCounted ? jobCount(kind, status) : undefined);
}

function jobCount(kind: JobsArguments['kind'], status: JobsArguments['status']): StoredCount<Counter> {
  const kinds = kind ? [kind] : enums.JobKind.values;
  const statuses = status ?? enums.JobStatus.values;
  const keys = kinds.flatMap((one) => statuses.map((other) => `${one} ${other}`));
  return { entity: Counter, sum: 'count', where: { kind: 'job', key: keys } };
}

/** Items in the order of the request. Throws `NOT_FOUND` for an unknown job. */
export async function listItems(scope: Scope, jobId: string, kind: Kind | undefined, page: PageRequest) {
  const job = await findJob(scope, jobId, kind);
  const rows = { columns: ITEM_COLUMNS, where: { jobId }, orderBy: { ordinal: 'asc' } } as const;
  return { ...(await listPage(scope, JobItem, rows, page, job.totalCount)), job };
}

/** Items from an offset on, in the order of the request. Throws `NOT_FOUND` for an unknown job. */
export async function sliceItems(scope: Scope, jobId: string, kind: Kind | undefined, part: { limit: number; offset: number }) {
  await findJob(scope, jobId, kind);
  return { nodes: await readRows(scope, JobItem, { columns: ITEM_COLUMNS, where: { jobId }, orderBy: { ordinal: 'asc' } }, part) };
}

/** Throws `NOT_FOUND` if the job does not exist or is of another kind. */
export const findJob = ({ em }: Scope, id: string, kind?: Kind): Promise<Job> =>
  findById(em, Job, id, 'Job', { where: kind && { kind } });

export type NewJob = Pick<Job, 'kind' | 'modelType' | 'createdById'> &
  Partial<Omit<Job, 'id' | 'organizationId' | 'status' | 'createdAt' | `${string}Count`>>;

async function countItems({ em }: Scope, jobId: string): Promise<number> {
  const [counted] = await query(em, sql<{ n: number }>`select count(*)::int as n from catalog.job_items where job_id = ${jobId}`);
  return counted!.n;
}

/** The items of a new job: their number and how to insert them. */
export interface Items {
  count: number;
  insert(scope: Scope, jobId: string): Promise<unknown>;
}

/**
 * Inserts a job, its items and the request to start its workflow in one transaction. Throws `CONFLICT` if the kind allows only one open
 * job per organization.
 */
export function createJob(scope: Scope, input: NewJob, items: Items): Promise<Job> {
  const creation = transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    // Files may be gone since an earlier job used them.
    const files = input.uploadedFileIds?.length ? await holdFiles(inner, input.uploadedFileIds) : [];
    const uploadedFileIds = input.uploadedFileIds?.filter((id) => files.some((file) => file.id === id));
    const job = em.create(Job, { ...input, ...(uploadedFileIds && { uploadedFileIds }), organizationId, totalCount: items.count });
    await em.flush();
    await items.insert(inner, job.id);
    // A row behind an item may have been deleted since the count, and a job ends when its counts agree.
    job.totalCount = await countItems(inner, job.id);
    await em.flush();
    await appendChange(em, job.id);
    await post(inner, 'job.start', { kind: job.kind, jobId: job.id, organizationId });
    return job;
  });
  const { oneAtATime } = kindOf(input.kind);
  return oneAtATime ? creation.catch(conflictIfTaken(oneAtATime)) : creation;
}

/** Creates a job for the failed items of a job that has ended. Throws `CONFLICT` while they are being retried; for an import also afterwards. */
export async function retryFailedItems(scope: RequestScope, jobId: string): Promise<Job> {
  const job = await findEnded(scope, jobId);
  const { notRetryable } = kindOf(job.kind);
  if (notRetryable) throw fail('UNPROCESSABLE', notRetryable);
  if (job.failedCount === 0) throw fail('UNPROCESSABLE', 'The job has no failed items.');
  return repeat(scope, job, { evidenceJobId: job.evidenceJobId, rerunOfId: job.id }, 'failed');
}

/** Creates a job that repeats another one with a different model tier and its stored sources. */
export async function rerunJob(scope: RequestScope, jobId: string, modelType: EnumValue<'ModelType'>): Promise<Job> {
  const job = await findEnded(scope, jobId);
  const { notRepeatable } = kindOf(job.kind);
  if (notRepeatable) throw fail('UNPROCESSABLE', notRepeatable);
  return repeat(scope, job, { modelType, evidenceJobId: job.id, rerunOfId: job.id }, 'all');
}

/** A stopped job has ended once its running items have completed. */
async function findEnded(scope: RequestScope, jobId: string): Promise<Job> {
  const job = await findJob(scope, jobId);
  const { completedAt, processedCount, totalCount } = job;
  if (!completedAt || processedCount < totalCount) throw fail('UNPROCESSABLE', 'The job has not ended yet.');
  return job;
}

type Repeated = 'all' | 'failed';

async function repeat(scope: RequestScope, job: Job, change: Partial<Job>, which: Repeated): Promise<Job> {
  if (await costs(scope, job, change.modelType ?? job.modelType, which)) await requireBalance(scope);
  const { kind, modelType, websearch, extractImages, includeExistingAttributes, attributeSetId, attributeIds } = job;
  const options = { kind, modelType, websearch, extractImages, includeExistingAttributes, attributeSetId, attributeIds };
  const { fileName, inputColumns, uploadedFileIds, overwrite, useExamples, autoAccept } = job;
  const { prompt, autoEnrich, enrichmentConfig, importMapping, importJobId, importOptions, totalFiles } = job;
  const ofImport = {
    prompt,
    autoEnrich,
    enrichmentConfig,
    importMapping,
    importJobId,
    importOptions,
    totalFiles,
    totalExtracted: totalFiles === null ? null : 0,
  };
  // A rerun on another tier reads once.
  const agreement = job.agreement && (change.modelType ?? modelType) === 'pro-v1';
  return createJob(
    scope,
    {
      ...{ ...options, fileName, inputColumns, uploadedFileIds, overwrite, useExamples, agreement, autoAccept, ...ofImport },
      ...change,
      createdById: scope.caller.userId,
    },
    itemsOf(job, which),
  );
}

/** Whether one of the items has a price. */
async function costs({ em, organizationId }: Scope, { id, kind }: Job, tier: Job['modelType'], which: Repeated): Promise<boolean> {
  if (kindOf(kind).prices[tier].item === 0) return false;
  const [paid] = await query(
    em,
    sql<{ isPaid: boolean }>`select exists (
          select from catalog.job_items where job_id = ${id} and organization_id = ${organizationId} and not without_model
             and (status = 'failed' or ${which === 'all'}::boolean)) as "isPaid"`,
  );
  return paid!.isPaid;
}

/** Copies the subjects of the items of a job, in the same order. */
const itemsOf = (job: Job, which: Repeated): Items => ({
  count: which === 'all' ? job.totalCount : job.failedCount,
  async insert(scope, newJobId) {
    const { em, organizationId } = scope;
    if (which === 'failed') await requireNoRetry(scope, job, newJobId);
    return query(
      em,
      sql`insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, phase, product_id, file_id, file_page, page_count,
                                           without_model, import_item_ids, subject, label, input_data)
          select gen_random_uuid(), organization_id, ${newJobId}, row_number() over (order by ordinal) - 1,
                 row_number() over (order by turn) - 1, phase, product_id, file_id, file_page, page_count, without_model, import_item_ids, subject,
                 label, input_data
            from catalog.job_items
           where job_id = ${job.id} and organization_id = ${organizationId} and (status = 'failed' or ${which === 'all'}::boolean)`,
    );
  },
});

/** Two retries at once would process and charge the same items twice. The row lock makes concurrent requests wait for each other. */
async function requireNoRetry({ em, organizationId }: Scope, { id: jobId, kind }: Job, newJobId: string): Promise<void> {
  await query(em, sql`select 1 from catalog.jobs where id = ${jobId} for update`);
  const isOnce = kindOf(kind).notRepeatable !== undefined;
  const [earlier] = await query(
    em,
    // The organization selects an index.
    sql<{ isOpen: boolean }>`select status in ('pending', 'processing') as "isOpen" from catalog.jobs
         where organization_id = ${organizationId} and rerun_of_id = ${jobId} and id <> ${newJobId}
           and (${isOnce}::boolean or status in ('pending', 'processing')) order by 1 desc limit 1`,
  );
  if (earlier?.isOpen) throw fail('CONFLICT', 'The failed items are being retried already.');
  if (earlier) throw fail('CONFLICT', 'The failed items were retried already. Retry the failed items of that job.');
}
