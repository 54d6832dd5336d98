import type { RawBuilder } from 'kysely';
import { query, sql } from '../../../platform/database/index.ts';
import { post } from '../../../platform/queues/index.ts';
import { fresh, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Job } from './entity.ts';
import { appendChange } from './job-progress.ts';
import { findJob } from './service.ts';

/** The next item would exceed the credit limit of the job. Thrown to roll back its transaction. */
export class CeilingReached extends Error {
  override name = 'CeilingReached';

  constructor(readonly price: number) {
    super();
  }
}

/** Counts credits against the limit of a job. Throws `CeilingReached`. */
export async function spend({ em }: Scope, jobId: string, price: number): Promise<void> {
  const within = await query(
    em,
    sql`update catalog.jobs set spent = spent + ${price}::numeric
         where id = ${jobId} and (max_credits is null or spent + ${price}::numeric <= max_credits) returning id`,
  );
  if (within.length === 0) throw new CeilingReached(price);
}

/** Pauses a job if an item of this price would exceed its credits. A user may have lifted the limit since the item was refused. */
export const pauseAtCeiling = (scope: Scope, jobId: string, price: number) =>
  pauseIf(scope, jobId, 'credits', sql<boolean>`spent + ${price}::numeric > max_credits`);

/** Pauses a job whose sample has ended. A user who continues a job in the middle of its sample leaves items of the sample open. */
export const pauseAfterSample = (scope: Scope, jobId: string) =>
  pauseIf(
    scope,
    jobId,
    'sample',
    sql<boolean>`open_until is not null and not exists (
      select 1 from catalog.job_items where job_id = ${jobId} and turn < open_until and status in ('pending', 'processing'))`,
  );

/** Pauses a running job under a condition on its row. Otherwise the job stays unchanged. */
async function pauseIf(
  scope: Scope,
  jobId: string,
  reason: 'credits' | 'sample',
  condition: RawBuilder<boolean>,
): Promise<undefined> {
  await transaction(scope, async ({ em, organizationId }) => {
    const paused = await query(
      em,
      sql`update catalog.jobs set paused = true, pause_reason = ${reason}, sequence = sequence + 1
           where id = ${jobId} and organization_id = ${organizationId} and status = 'processing' and not paused and (${condition})
          returning id`,
    );
    if (paused.length > 0) await appendChange(em, jobId);
  });
}

/**
 * Pauses a job on request: running items complete and no further items start. Throws `NOT_FOUND`, `NOT_IN_PROGRESS` for a job that has
 * ended, and `UNPROCESSABLE` for one that is paused already.
 */
export async function pauseJob(scope: Scope, given: string): Promise<Job> {
  const { id, kind, organizationId } = await findJob(scope, given);
  await transaction(scope, async (inner) => {
    const { em } = inner;
    const paused = await query(
      em,
      sql`update catalog.jobs set paused = true, pause_reason = 'user', sequence = sequence + 1
           where id = ${id} and organization_id = ${organizationId} and status in ('pending', 'processing') and not paused returning id`,
    );
    if (paused.length === 0) throw await refusalOf(inner, id);
    await appendChange(em, id);
    await post(inner, 'job.pause', { kind, jobId: id, organizationId });
  });
  return findJob(fresh(scope), id);
}

async function refusalOf(scope: Scope, id: string): Promise<Error> {
  const { paused } = await findJob(fresh(scope), id);
  return paused
    ? fail('UNPROCESSABLE', 'Job cannot be paused because it is already paused')
    : fail('NOT_IN_PROGRESS', 'Job cannot be paused because it is not in progress');
}

/**
 * Resumes a paused job. Its limits stay in force if a user paused it, and end otherwise. Throws `NOT_FOUND`, and `UNPROCESSABLE` if the
 * job is not paused.
 */
export async function continueJob(scope: Scope, given: string): Promise<Job> {
  const { id } = await findJob(scope, given);
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const isUserPause = sql`pause_reason is not distinct from 'user'`;
    const [continued] = await query(
      em,
      sql<{
        kind: string;
      }>`update catalog.jobs set paused = false, pause_reason = null, sequence = sequence + 1,
                                 open_until = case when ${isUserPause} then open_until end, max_credits = case when ${isUserPause} then max_credits end,
                                 max_error_rate = case when ${isUserPause} then max_error_rate end,
                                 min_confidence = case when ${isUserPause} then min_confidence end
                           where id = ${id} and organization_id = ${organizationId} and status in ('pending', 'processing') and paused
                          returning kind`,
    );
    if (!continued) throw fail('UNPROCESSABLE', 'Job cannot be continued because it is not paused');
    await appendChange(em, id);
    await post(inner, 'job.start', { kind: continued.kind, jobId: id, organizationId });
  });
  return findJob(fresh(scope), id);
}
