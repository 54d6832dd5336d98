import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import { isId } from '../../common/ids.ts';
import { post } from '../../common/outbox.ts';
import { listPage, type PageRequest } from '../../common/page.ts';
import { readRows } from '../../common/rows.ts';
import { type Scope, transaction } from '../../common/scope.ts';
import { appendChange } from './changes.ts';
import { Job } from './entity.ts';
import { JobItem } from './item-entity.ts';
import { kindOf } from './registry.ts';

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
  'attributeSetId',
  'attributeIds',
  'uploadedFileIds',
  'totalFiles',
  'totalExtracted',
  'prompt',
  'fileName',
  'inputColumns',
  'paused',
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
const ITEM_COLUMNS = [
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

export const listJobs = (scope: Scope, kind: Kind, page: PageRequest) =>
  listPage(scope, Job, { columns: JOB_COLUMNS, where: { kind }, orderBy: { createdAt: 'desc', id: 'desc' } }, page);

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
export async function findJob({ em }: Scope, id: string, kind?: Kind): Promise<Job> {
  const job = isId(id) ? await em.findOne(Job, { id, ...(kind && { kind }) }) : null;
  return job ?? Promise.reject(fail('NOT_FOUND', 'Job not found'));
}

export type NewJob = Pick<Job, 'kind' | 'modelType' | 'createdById'> &
  Partial<Omit<Job, 'id' | 'organizationId' | 'status' | 'createdAt' | `${string}Count`>>;

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
  return transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const job = em.create(Job, { ...input, organizationId, totalCount: items.count });
    await em.flush();
    await items.insert(inner, job.id);
    await appendChange(em, job.id);
    await post(inner, 'job.start', { kind: job.kind, jobId: job.id, organizationId });
    return job;
  }).catch((error: unknown) => {
    const { oneAtATime } = kindOf(input.kind);
    throw oneAtATime && error instanceof UniqueConstraintViolationException ? fail('CONFLICT', oneAtATime) : error;
  });
}
