import { fail } from '../../../schema/errors.ts';
import { query, sql } from '../../common/database.ts';
import { post } from '../../common/outbox.ts';
import { fresh, type Scope, transaction } from '../../common/scope.ts';
import { appendChange } from './changes.ts';
import type { Job } from './entity.ts';
import { findJob } from './service.ts';

/** The next item would exceed the credit limit of the job. Thrown to roll back its transaction. */
export class CeilingReached extends Error {
  override name = 'CeilingReached';
}

/** Counts credits against the limit of a job. Throws `CeilingReached`. */
export async function spend({ em }: Scope, jobId: string, price: number): Promise<void> {
  const within = await query(
    em,
    sql`update catalog.jobs set spent = spent + ${price}::numeric
         where id = ${jobId} and (max_credits is null or spent + ${price}::numeric <= max_credits) returning id`,
  );
  if (within.length === 0) throw new CeilingReached();
}

/** Pauses a job: running items complete and no further items start. With `sample`, only a job with an unfinished sample limit pauses. */
export async function pauseJob(scope: Scope, jobId: string, when?: 'sample'): Promise<undefined> {
  await transaction(scope, async ({ em, organizationId }) => {
    const paused = await query(
      em,
      sql`update catalog.jobs set paused = true, sequence = sequence + 1
           where id = ${jobId} and organization_id = ${organizationId} and status = 'processing' and not paused
             and (open_until is not null or ${when !== 'sample'}::boolean) returning id`,
    );
    if (paused.length > 0) await appendChange(em, jobId);
  });
}

/** Resumes a paused job and clears its limits. Throws `NOT_FOUND`, and `UNPROCESSABLE` if the job is not paused. */
export async function continueJob(scope: Scope, id: string): Promise<Job> {
  await findJob(scope, id);
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const [continued] = await query(
      em,
      sql<{
        kind: string;
      }>`update catalog.jobs set paused = false, open_until = null, max_credits = null, max_error_rate = null, min_confidence = null,
                                   sequence = sequence + 1
                             where id = ${id} and organization_id = ${organizationId} and status = 'processing' and paused returning kind`,
    );
    if (!continued) throw fail('UNPROCESSABLE', 'Job cannot be continued because it is not paused');
    await appendChange(em, id);
    await post(inner, 'job.start', { kind: continued.kind, jobId: id, organizationId });
  });
  return findJob(fresh(scope), id);
}
