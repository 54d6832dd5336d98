import type { GraphQLResolveInfo } from 'graphql';
import { type Bind, conflictIfTaken, findById, isId, query, readRows, sql, type Tally } from '../../../platform/database/index.ts';
import { holdFiles } from '../../../platform/files/index.ts';
import { listByCursor, listPage, type PageRequest } from '../../../platform/lists/index.ts';
import { post } from '../../../platform/queues/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import { type Word, words } from '../../../schema/words.ts';
import { Counter } from '../stats/entity.ts';
import { appendChange } from './changes.ts';
import { Job } from './entity.ts';
import { JobItem } from './item-entity.ts';
import { kindOf } from './registry.ts';
import type { JobsArguments } from './types.ts';

type Kind = Word<'JobKind'>;

const JOB_COLUMNS = [
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
  'attributeSetId',
  'attributeIds',
  'uploadedFileIds',
  'rerunOfId',
  'cost',
  'totalFiles',
  'totalExtracted',
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

function jobCount(kind: JobsArguments['kind'], status: JobsArguments['status']): Tally<Counter> {
  const kinds = kind ? [kind] : words.JobKind.values;
  const statuses = status ?? words.JobStatus.values;
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
