import { clock, query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { emitEvent } from '../agent-events.ts';

/** Calls that one event names, and agents of a round. */
const [BATCH, AGENTS] = [100, 500];
/** Milliseconds in which a sweep starts batches. The next sweep continues. */
const SWEEP_MS = 50_000;

/** The value of `to_report` of a call that ends: whether it was made for a visitor, and somebody subscribed to the event. */
export const REPORTED = `(webhooks.is_subscribed(organization_id, 'tool.called', agent_id)
  and exists (select from agent.conversations c where c.id = conversation_id and c.channel = 'widget'))`;

const WAITING = `select distinct organization_id as "organizationId", agent_id as "agentId" from agent.tool_calls where to_report limit ${AGENTS}`;

/**
 * Emit the ended calls that nobody was told of: an event for up to 100 calls of an agent. Agents take turns, a batch at a time, and a
 * failing one does not stop the others. Safe to run concurrently. Returns the number of calls.
 */
export async function emitCalls(services: Services): Promise<number> {
  const end = clock.ms() + SWEEP_MS;
  let emitted = 0;
  for (let isWaiting = true; isWaiting && clock.ms() < end; ) {
    const { rows } = await services.pool.query<{ organizationId: string; agentId: string }>(WAITING);
    isWaiting = false;
    for (const { organizationId, agentId } of rows) {
      const count = await transaction(detached({ services, organizationId }), (scope) => emitBatch(scope, agentId)).catch((err) => {
        log.warn({ err, organizationId }, 'Failed to emit the calls of tools; the next sweep tries again');
        return 0;
      });
      emitted += count;
      isWaiting ||= count > 0;
    }
  }
  return emitted;
}

async function emitBatch(scope: Scope, agentId: string): Promise<number> {
  const calls = await query(
    scope.em,
    sql<{ id: string; agentName: string; createdAt: string }>`
      with next as (
        select id from agent.tool_calls where agent_id = ${agentId} and organization_id = ${scope.organizationId} and to_report
         order by created_at, id limit ${BATCH} for update skip locked),
      told as (
        update agent.tool_calls t set to_report = false from next where t.id = next.id
        returning t.id, t.tool_id, t.tool_name, t.conversation_id, t.status, t.response_status, t.duration_ms, t.created_at)
      select told.id, tool_id as "toolId", tool_name as "toolName", conversation_id as "conversationId", told.status,
             response_status as "responseStatus", duration_ms as "durationMs", told.created_at as "createdAt", a.name as "agentName"
        from told join agent.agents a on a.id = ${agentId} order by told.created_at, told.id`,
  );
  if (calls.length === 0) return 0;
  const { agentName } = calls[0]!;
  const named = calls.map(({ agentName: _, createdAt, ...call }) => ({ ...call, createdAt: new Date(createdAt) }));
  await emitEvent(scope, 'tool.called', { agentId, id: calls[0]!.id }, { agentId, agentName, calls: named });
  return calls.length;
}
