import { query, readRows, sql } from '../../../platform/database/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { storableJson } from '../../../schema/json.ts';
import { recordEnd, recordStart } from '../tool-calls/service.ts';
import { prepareCall } from '../tools/call-request.ts';
import { markPersonal, receiverHeaders } from '../tools/callable.ts';
import { type RequestOutcome, Tool, type ToolAnswer } from '../tools/entity.ts';
import { Approval } from './entity.ts';
import { MINUTES } from './requests.ts';

const UNCLEAR =
  'The request was sent, and nobody knows whether it had an effect. Do not repeat it. Check with another tool, or tell the user that it is unclear.';
const CHANGED = 'The request is no longer the one that was approved, so it was not sent. Ask again if it is still needed.';

/** The results of the decided calls of a reply, by the ids of the calls. Approved calls that nobody sent are sent now. */
export async function resultsOf(scope: Scope, messageId: string): Promise<Map<string, ToolAnswer | 'refused'>> {
  const rows = await readRows(scope, Approval, { where: { messageId }, orderBy: { createdAt: 'asc', id: 'asc' } });
  const results = await Promise.all(
    rows.map(async (approval): Promise<[string, ToolAnswer | 'refused']> => [approval.toolCallId, await resultOf(scope, approval)]),
  );
  return new Map(results);
}

/** Send the approved calls of a reply that does not continue. */
export async function sendApproved(scope: Scope, messageId: string): Promise<void> {
  await resultsOf(scope, messageId);
}

async function resultOf(scope: Scope, approval: Approval): Promise<ToolAnswer | 'refused'> {
  const { status, result, error } = approval;
  if (status === 'approved') return send(scope, approval);
  if (status === 'succeeded') return { output: result };
  if (status === 'failed') return { error: error ?? 'The call failed.' };
  if (status === 'sending' || status === 'unclear') return { error: UNCLEAR };
  return 'refused';
}

/**
 * Send an approved request, at most once: the row is marked before, by one process. A process that is killed later leaves the mark, and
 * nobody sends the request again. An approval that nobody sent in time expires.
 */
async function send(scope: Scope, approval: Approval): Promise<ToolAnswer | 'refused'> {
  const own = detached(scope);
  const claimed = await claim(own, approval.id);
  if (claimed === undefined) return { error: UNCLEAR };
  if (claimed === 'expired') return 'refused';
  let outcome: RequestOutcome;
  try {
    outcome = await sendOnce(own, approval);
  } catch (err) {
    log.error({ err, approval: approval.id }, 'Failed to send an approved call');
    outcome = { response: null, result: null, error: 'The call failed.', isUnclear: true };
  }
  await finish(own, approval.id, outcome);
  if (outcome.error === null) return { output: outcome.result };
  return { error: outcome.isUnclear ? `${UNCLEAR} (${outcome.error})` : outcome.error };
}

/** The new status of an approval; undefined if another process has claimed it. */
async function claim({ em, organizationId }: Scope, id: string): Promise<'sending' | 'expired' | undefined> {
  const isInTime = sql`decided_at > now() - make_interval(mins => ${MINUTES})`;
  const [claimed] = await query(
    em,
    sql<{ status: 'sending' | 'expired' }>`
      update agent.approvals set status = case when ${isInTime} then 'sending' else 'expired' end, sent_at = case when ${isInTime} then now() end
       where id = ${id} and organization_id = ${organizationId} and status = 'approved' returning status`,
  );
  return claimed?.status;
}

const failed = (error: string): RequestOutcome => ({ response: null, result: null, error });

async function sendOnce(scope: Scope, approval: Approval): Promise<RequestOutcome> {
  const { id, toolId, agentId, conversationId, input, identity, requestHash } = approval;
  const [tool] = await readRows(scope, Tool, { where: { id: toolId, agentId, enabled: true } });
  if (!tool) return failed('The tool no longer exists.');
  const prepared = await prepareCall(scope, tool, input, identity);
  if ('error' in prepared) return failed(prepared.error);
  if (prepared.hash !== requestHash) return failed(CHANGED);
  if (approval.party === 'visitor' && tool.approval === 'operator') return failed(CHANGED);
  const callId = await recordStart(scope, tool, conversationId, prepared.request, id);
  const headers = await receiverHeaders(scope, { agentId, subject: identity?.subject ?? null, conversationId, approvalId: id });
  const started = performance.now();
  // Without the signal of the reply: who stops a reply does not take an approval back.
  const outcome = await prepared.send(undefined, headers);
  if (tool.data === 'personal' && outcome.response) await markPersonal(scope, conversationId, prepared.host);
  const durationMs = Math.round(performance.now() - started);
  await recordEnd(scope, callId, { responseStatus: outcome.response?.status ?? null, error: outcome.error, durationMs });
  return outcome;
}

async function finish(
  { em, organizationId }: Scope,
  id: string,
  { response, result, error, isUnclear }: RequestOutcome,
): Promise<void> {
  const status = error === null ? 'succeeded' : isUnclear ? 'unclear' : 'failed';
  await query(
    em,
    sql`update agent.approvals set status = ${status}, finished_at = now(), response_status = ${response?.status ?? null}, error = ${error},
               result = ${JSON.stringify(storableJson(result ?? null, -1))}::jsonb
         where id = ${id} and organization_id = ${organizationId} and status = 'sending'`,
  );
}

const STRANDED = `select message_id as "messageId", organization_id as "organizationId" from agent.approvals a
  where status in ('approved', 'sending') and decided_at < now() - interval '15 seconds'
    and not exists (select from agent.messages m where m.id = a.message_id and m.status = 'running' and m.leased_until > now())
  group by 1, 2 order by min(decided_at) limit 100`;

const LOST = `update agent.approvals a set status = 'unclear', finished_at = now(), error = 'The process was interrupted during the call.'
  where status = 'sending' and sent_at < now() - interval '1 minute'
    and not exists (select from agent.messages m where m.id = a.message_id and m.status = 'running' and m.leased_until > now())`;

/** Send approved calls whose process was killed before, and say of those that it had begun to send that the result is unclear. */
export async function sendStranded(services: Services): Promise<void> {
  await services.pool.query(LOST);
  const { rows } = await services.pool.query<{ messageId: string; organizationId: string }>(STRANDED);
  await Promise.all(
    rows.map(({ messageId, organizationId }) =>
      sendApproved(detached({ services, organizationId }), messageId).catch((err: unknown) =>
        log.warn({ err, messageId }, 'Failed to send the approved calls of a killed process'),
      ),
    ),
  );
}
