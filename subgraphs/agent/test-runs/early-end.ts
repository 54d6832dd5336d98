/** The end of a test run before its work is done: the replies that are paid, and the credits that are given back. */
import { moveCredits } from '../../../platform/credits/index.ts';
import { query, sql } from '../../../platform/database/index.ts';
import { post } from '../../../platform/queues/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/** Credits of one opinion of a model. */
export const JUDGMENT_PRICE = 1;

type Runs = { runId: string } | { testSetId: string } | { agentId: string };
type End = { status: 'stopped' } | { status: 'failed'; error: string };

/**
 * Ends the open runs in the transaction of the scope. Their open repeats are skipped, and cost only the replies that have begun. Returns the
 * refund of the rest, which comes last in the transaction because it locks the organization. Runs of a set or an agent are deleted with it:
 * the transaction has locked the agent, so that no other run begins.
 */
export async function endRuns(scope: Scope, runs: Runs, end: End): Promise<() => Promise<void>> {
  const { em, organizationId } = scope;
  const ended = await query(
    em,
    sql<{ id: string }>`
      update agent.test_runs set status = ${end.status}, error = ${'error' in end ? end.error : null}, finished_at = now(),
             sequence = sequence + 1, draft_content = null, published_content = null
       where ${areOf(runs)} and organization_id = ${organizationId} and status in ('pending', 'processing') returning id`,
  );
  if (ended.length === 0) return async () => {};
  const ids = ended.map(({ id }) => id);
  if (end.status === 'stopped') await post(scope, 'test-run.stop', ...ids.map((runId) => ({ runId, organizationId })));
  // Those that have not begun cost nothing, and can be many.
  const skipped = 'runId' in runs ? ['pending', 'processing'] : ['processing'];
  const results = await query(
    em,
    sql<{ id: string; runId: string; unused: number }>`
      with open as (
        select r.id, case r.status when 'processing' then ${creditsFor('begun')} else 0 end as credits, r.credits as charged
          from agent.test_results r join agent.test_run_cases c on c.id = r.run_case_id
         where r.run_id = any(${ids}::uuid[]) and r.status = any(${skipped}) order by r.id for update of r)
      update agent.test_results r set status = 'skipped', credits = open.credits, finished_at = now() from open where r.id = open.id
      returning r.id, r.run_id as "runId", (open.charged - open.credits)::float8 as unused`,
  );
  return async () => {
    for (const { id, runId, unused } of results) if (unused > 0) await refund(scope, runId, id, unused);
  };
}

function areOf(runs: Runs) {
  if ('runId' in runs) return sql`id = ${runs.runId}`;
  return 'testSetId' in runs ? sql`test_set_id = ${runs.testSetId}` : sql`agent_id = ${runs.agentId}`;
}

/**
 * The credits of the replies of a repeat `r` of the case `c`: of those that were generated, or also of the one that has begun, or of all with
 * the opinion of a model, which begins after the last reply.
 */
export function creditsFor(part: 'generated' | 'begun' | 'judged') {
  const judgment = sql`case when c.expectation is null then 0 else ${JUDGMENT_PRICE}::int end`;
  const replies = sql`jsonb_array_length(r.turns) + ${part === 'begun' ? 1 : 0}::int`;
  return sql`case when ${replies} > c.max_messages then r.credits
                  else (r.credits - ${judgment}) / c.max_messages * (${replies}) + ${part === 'judged' ? judgment : sql`0`} end`;
}

/** Gives credits of a repeat back, once. */
export async function refund(scope: Scope, runId: string, resultId: string, amount: number): Promise<void> {
  await query(scope.em, sql`update agent.test_runs set credits = credits - ${amount} where id = ${runId}`);
  await moveCredits(scope, { amount, reason: 'refund of a test', reference: `test-refund:${resultId}` });
}
