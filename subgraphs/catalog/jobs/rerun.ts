import { requireBalance } from '../../../platform/credits/index.ts';
import { query, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import type { Job } from './entity.ts';
import { kindOf } from './registry.ts';
import { createJob, findJob, type Items } from './service.ts';

/** Creates a job for the failed items of a job that has ended. Throws `CONFLICT` while they are being retried; for an import also afterwards. */
export async function retryFailedItems(scope: RequestScope, jobId: string): Promise<Job> {
  const job = await findEnded(scope, jobId);
  if (job.failedCount === 0) throw fail('UNPROCESSABLE', 'The job has no failed items.');
  return repeat(scope, job, { evidenceJobId: job.evidenceJobId, rerunOfId: job.id }, itemsOf(job, 'failed'));
}

/** Creates a job that repeats another one with a different model tier and its stored sources. */
export async function rerunJob(scope: RequestScope, jobId: string, modelType: Word<'ModelType'>): Promise<Job> {
  const job = await findEnded(scope, jobId);
  const { notRepeatable } = kindOf(job.kind);
  if (notRepeatable) throw fail('UNPROCESSABLE', notRepeatable);
  return repeat(scope, job, { modelType, evidenceJobId: job.id, rerunOfId: job.id }, itemsOf(job, 'all'));
}

/** A stopped job has ended once its running items have completed. */
async function findEnded(scope: RequestScope, jobId: string): Promise<Job> {
  const job = await findJob(scope, jobId);
  const { completedAt, processedCount, totalCount } = job;
  if (!completedAt || processedCount < totalCount) throw fail('UNPROCESSABLE', 'The job has not ended yet.');
  return job;
}

async function repeat(scope: RequestScope, job: Job, change: Partial<Job>, items: Items): Promise<Job> {
  await requireBalance(scope);
  const { kind, modelType, websearch, extractImages, includeExistingAttributes, attributeSetId, attributeIds } = job;
  const options = { kind, modelType, websearch, extractImages, includeExistingAttributes, attributeSetId, attributeIds };
  const { fileName, inputColumns, uploadedFileIds, overwrite, useExamples } = job;
  const { prompt, autoEnrich, enrichmentConfig, totalFiles } = job;
  const ofImport = { prompt, autoEnrich, enrichmentConfig, totalFiles, totalExtracted: totalFiles === null ? null : 0 };
  // A rerun on another tier reads once.
  const agreement = job.agreement && (change.modelType ?? modelType) === 'pro-v1';
  return createJob(
    scope,
    {
      ...{ ...options, fileName, inputColumns, uploadedFileIds, overwrite, useExamples, agreement, ...ofImport },
      ...change,
      createdById: scope.caller.userId,
    },
    items,
  );
}

/** Copies the subjects of the items of a job, in the same order. */
const itemsOf = (job: Job, which: 'all' | 'failed'): Items => ({
  count: which === 'all' ? job.totalCount : job.failedCount,
  async insert(scope, newJobId) {
    const { em, organizationId } = scope;
    if (which === 'failed') await requireNoRetry(scope, job, newJobId);
    return query(
      em,
      sql`insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, phase, product_id, file_id, file_page, subject, label,
                                           input_data)
          select gen_random_uuid(), organization_id, ${newJobId}, row_number() over (order by ordinal) - 1,
                 row_number() over (order by turn) - 1, phase, product_id, file_id, file_page, subject, label, input_data
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
