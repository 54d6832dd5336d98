import { v7 as uuid } from 'uuid';
import { query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { storableJson } from '../../../schema/json.ts';
import { storable } from '../../../schema/text.ts';
import { ERASED_VISITOR } from '../conversations/entity.ts';
import type { Tool } from '../tools/entity.ts';
import type { ToolRequest } from '../tools/types.ts';

/** The result of a call for its audit record. */
export interface CallResult {
  responseStatus: number | null;
  durationMs: number;
  error: string | null;
}

/**
 * Record the start of a call before its request is sent, so that no call is missing after a crash. Returns the id of the record. Throws
 * `NOT_FOUND` if the conversation was deleted, whose deletion removes its calls.
 */
export async function recordStart(scope: Scope, tool: Tool, conversationId: string, request: ToolRequest | null): Promise<string> {
  const id = uuid();
  const { em, organizationId } = detached(scope);
  const json = request && JSON.stringify(storableJson(request));
  const recorded = await query(
    em,
    sql`with held as materialized (
          select id from agent.conversations
           where id = ${conversationId} and organization_id = ${organizationId} and visitor_id <> ${ERASED_VISITOR} for key share)
        insert into agent.tool_calls (id, organization_id, agent_id, tool_id, tool_name, conversation_id, status, request)
        select ${id}::uuid, ${organizationId}::uuid, ${tool.agentId}::uuid, ${tool.id}::uuid, ${tool.name}, id, 'running', ${json}::jsonb
          from held returning 1`,
  );
  if (recorded.length === 0) throw fail('NOT_FOUND', 'Conversation not found');
  return id;
}

/** Record the result of a call. */
export async function recordEnd(scope: Scope, id: string, { responseStatus, durationMs, error }: CallResult): Promise<void> {
  const { em, organizationId } = detached(scope);
  await query(
    em,
    sql`update agent.tool_calls
           set status = ${error === null ? 'succeeded' : 'failed'}, response_status = ${responseStatus}, duration_ms = ${durationMs},
               error = ${error === null ? null : storable(error)}
         where id = ${id} and organization_id = ${organizationId} and status = 'running'`,
  );
}
