import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { deleteOld, isId, query, sql } from '../../../platform/database/index.ts';
import { listPage, type Page, paginate } from '../../../platform/lists/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { storableJson } from '../../../schema/json.ts';
import { storable } from '../../../schema/text.ts';
import { requireAgent } from '../agents/service.ts';
import { ERASED_VISITOR } from '../conversations/entity.ts';
import type { Tool, ToolRequest } from '../tools/entity.ts';
import { REPORTED } from './call-events.ts';
import { ToolCall, type ToolCallArguments } from './entity.ts';

/** The result of a call for its audit record. */
export interface CallEnd {
  responseStatus: number | null;
  durationMs: number;
  error: string | null;
}

/**
 * Record the start of a call before its request is sent, so that no call is missing after a crash. Returns the id of the record. Throws
 * `NOT_FOUND` if the conversation was deleted, whose deletion removes its calls.
 */
export async function recordStart(
  scope: Scope,
  tool: Tool,
  conversationId: string,
  request: ToolRequest | null,
  approvalId: string | null = null,
): Promise<string> {
  const id = uuid();
  const { em, organizationId } = detached(scope);
  const json = request && JSON.stringify(storableJson(request));
  const recorded = await query(
    em,
    sql`with held as materialized (
          select id from agent.conversations
           where id = ${conversationId} and organization_id = ${organizationId} and visitor_id <> ${ERASED_VISITOR} for key share)
        insert into agent.tool_calls (id, organization_id, agent_id, tool_id, tool_name, conversation_id, status, request, approval_id)
        select ${id}::uuid, ${organizationId}::uuid, ${tool.agentId}::uuid, ${tool.id}::uuid, ${tool.name}, id, 'running', ${json}::jsonb, ${approvalId}::uuid
          from held returning 1`,
  );
  if (recorded.length === 0) throw fail('NOT_FOUND', 'Conversation not found');
  return id;
}

/** Calls of a conversation and of a visitor in an hour. */
const [PER_CONVERSATION, PER_VISITOR] = [300, 600];
const RECENT = `t.created_at > now() - interval '1 hour'`;

/** Whether a conversation, or all of its visitor together, may call no more tools for now. */
export async function hasTooManyCalls({ em, organizationId }: Scope, conversationId: string): Promise<boolean> {
  const [counted] = await query(
    em,
    sql<{ inConversation: number; ofVisitor: number }>`
      select (select count(*) from agent.tool_calls t where t.conversation_id = own.id and ${sql.raw(RECENT)})::int as "inConversation",
             (select count(*) from agent.conversations c join agent.tool_calls t on t.conversation_id = c.id
               where c.agent_id = own.agent_id and c.visitor_id = own.visitor_id and c.channel = 'widget' and own.channel = 'widget'
                 and ${sql.raw(RECENT)})::int as "ofVisitor"
        from agent.conversations own where own.id = ${conversationId} and own.organization_id = ${organizationId}`,
  );
  return counted!.inConversation >= PER_CONVERSATION || counted!.ofVisitor >= PER_VISITOR;
}

/** Record the result of a call. */
export async function recordEnd(scope: Scope, id: string, { responseStatus, durationMs, error }: CallEnd): Promise<void> {
  const { em, organizationId } = detached(scope);
  await query(
    em,
    sql`update agent.tool_calls
           set status = ${error === null ? 'succeeded' : 'failed'}, response_status = ${responseStatus}, duration_ms = ${durationMs},
               error = ${error === null ? null : storable(error)}, to_report = ${sql.raw(REPORTED)}
         where id = ${id} and organization_id = ${organizationId} and status = 'running'`,
  );
}

/** The calls of an agent, newest first. Throws `NOT_FOUND` if the agent does not exist. */
export async function listCalls(scope: Scope, agentId: string, filter: ToolCallArguments): Promise<Page<ToolCall>> {
  await requireAgent(scope, agentId);
  const { toolId, conversationId, status } = filter;
  if ([toolId, conversationId].some((id) => id && !isId(id))) return paginate([], filter, 0);
  const where = {
    agentId,
    ...(toolId && { toolId }),
    ...(conversationId && { conversationId }),
    ...(status && { status }),
  };
  return listPage(scope, ToolCall, { where, orderBy: { createdAt: 'desc', id: 'desc' } }, filter);
}

/** Days to keep the record of a call. */
const DAYS = 90;

const INTERRUPTED = `
  update agent.tool_calls set status = 'failed', error = 'The process was interrupted during the call.', to_report = ${REPORTED}
   where status = 'running' and created_at < now() - interval '5 minutes'`;

const EXPIRED = `
  delete from agent.tool_calls where id in (
    select id from agent.tool_calls where created_at < now() - interval '1 day' * $1 order by created_at limit $2 for update skip locked)`;

/** Fail calls whose process was killed, and delete old records. Returns the number of deleted records. Safe to run concurrently. */
export async function sweepCalls(pool: Pool): Promise<number> {
  await pool.query(INTERRUPTED);
  return deleteOld(pool, EXPIRED, DAYS);
}
