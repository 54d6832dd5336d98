import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { emitEvent } from '../agent-events.ts';

/** Cases that the event names. */
const MAX_NAMES = 20;

interface Failure {
  trigger: 'schedule' | 'user';
  target: string;
  id: string;
  agentId: string;
  agentName: string;
  testSetId: string;
  testSetName: string;
  version: number;
  status: string;
  error: string | null;
  share: number | null;
  failing: string[];
  createdAt: string;
}

/** Emits the event of a run that failed, or has less than the required share, in the transaction that ends it. */
export async function reportFailure(scope: Scope, runId: string): Promise<void> {
  const [failure] = await query(
    scope.em,
    sql<Failure>`
      select r.trigger, r.target, r.id, r.agent_id as "agentId", a.name as "agentName", r.test_set_id as "testSetId", s.name as "testSetName", r.version, r.status,
             r.error, r.share, array(
               select c.name from agent.test_run_cases c where c.run_id = r.id and case r.target when 'draft' then c.draft else c.published end <> 'always'
                order by c.position limit ${MAX_NAMES}) as failing,
             r.created_at as "createdAt"
        from agent.test_runs r join agent.test_sets s on s.id = r.test_set_id join agent.agents a on a.id = r.agent_id
       where r.id = ${runId} and r.organization_id = ${scope.organizationId} 
         and (r.status = 'failed' or r.share < coalesce(s.required_share, 1))`,
  );
  if (!failure) return;
  const { trigger, target, ...run } = failure;
  const data = { ...run, createdAt: new Date(run.createdAt) };
  if (trigger === 'schedule') await emitEvent(scope, 'agent.tests.failed', run, data);
  else await emitEvent(scope, 'test.failed', run, { ...data, target });
}
