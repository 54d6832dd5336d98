import { moveCredits } from '../../../platform/credits/index.ts';
import { query, sql } from '../../../platform/database/index.ts';
import { post } from '../../../platform/queues/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/**
 * Ends the open runs of a test set or an agent that the transaction deletes. It has locked the agent, so that no other run begins. Returns the
 * refund of the repeats in progress, which comes last because it locks the organization.
 */
export async function endRunsOf(scope: Scope, owner: { testSetId: string } | { agentId: string }): Promise<() => Promise<void>> {
  const { em, organizationId } = scope;
  const isOwned = 'agentId' in owner ? sql`agent_id = ${owner.agentId}` : sql`test_set_id = ${owner.testSetId}`;
  const ended = await query(
    em,
    sql<{ runId: string }>`
      update agent.test_runs set status = 'stopped', finished_at = now(), sequence = sequence + 1, draft_content = null, published_content = null
       where ${isOwned} and organization_id = ${organizationId} and status in ('pending', 'processing') returning id as "runId"`,
  );
  if (ended.length === 0) return async () => {};
  await post(scope, 'test-run.stop', ...ended.map(({ runId }) => ({ runId, organizationId })));
  const paid = await query(
    em,
    sql<{ id: string; credits: number }>`
      select id, credits::float8 as credits from agent.test_results
       where run_id = any(${ended.map(({ runId }) => runId)}::uuid[]) and status = 'processing' and credits > 0 order by id for update`,
  );
  return async () => {
    for (const { id, credits } of paid)
      await moveCredits(scope, { amount: credits, reason: 'refund of a test', reference: `test-refund:${id}` });
  };
}
