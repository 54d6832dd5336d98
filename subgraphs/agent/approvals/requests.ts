import { v7 as uuid } from 'uuid';
import { query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { storableJson } from '../../../schema/json.ts';
import { ERASED_VISITOR } from '../conversations/entity.ts';
import { QUEUE_CHANNEL } from '../handoff/handoff-state.ts';
import type { Prepared, Tool } from '../tools/entity.ts';
import type { Identity } from '../visitors/entity.ts';

/** Minutes in which an approval can be given, and then in which its request can be sent. */
export const MINUTES = 15;
/** Approvals that a conversation may ask for in an hour, and a visitor in a day. */
const [PER_CONVERSATION, PER_VISITOR] = [20, 50];

export const TOO_MANY = 'Too many requests for approval. Tell the user to try again later.';

interface Requested {
  tool: Tool;
  prepared: Prepared;
  input: Record<string, unknown>;
  identity: Identity | null;
  text: string;
  party: EnumValue<'ApprovalParty'>;
  reason: EnumValue<'ApprovalReason'>;
  preview: boolean;
  conversationId: string;
  messageId: string;
  toolCallId: string;
}

/**
 * Ask for the approval of exactly this request. Returns its id, or null beyond the limits. Throws `NOT_FOUND` if the conversation was
 * deleted.
 */
export async function requestApproval(scope: Scope, requested: Requested): Promise<string | null> {
  const { tool, prepared, input, identity, text, party, reason, preview, conversationId, messageId, toolCallId } = requested;
  const { em, organizationId } = detached(scope);
  const id = uuid();
  const json = (value: unknown) => JSON.stringify(storableJson(value));
  // The lock of the conversation makes calls of one round count each other.
  const [added] = await query(
    em,
    sql<{ isAdded: boolean; notified: unknown }>`
      with held as materialized (
        select id, visitor_id from agent.conversations
         where id = ${conversationId} and organization_id = ${organizationId} and visitor_id <> ${ERASED_VISITOR} for no key update),
      room as (
        select held.* from held
         where (select count(*) from agent.approvals a where a.conversation_id = held.id and a.created_at > now() - interval '1 hour') < ${PER_CONVERSATION}
           and (select count(*) from agent.approvals a where a.agent_id = ${tool.agentId} and a.visitor_id = held.visitor_id
                   and a.created_at > now() - interval '1 day') < ${PER_VISITOR}),
      added as (
        insert into agent.approvals (id, organization_id, agent_id, conversation_id, message_id, tool_call_id, visitor_id, tool_id, tool_name,
                                     party, reason, text, input, identity, request, request_hash, preview, status, expires_at)
        select ${id}::uuid, ${organizationId}::uuid, ${tool.agentId}::uuid, id, ${messageId}::uuid, ${toolCallId}, visitor_id, ${tool.id}::uuid,
               ${tool.name}, ${party}, ${reason}, ${text}, ${json(input)}::json, ${identity && json(identity)}::json,
               ${json(prepared.request)}::jsonb, ${prepared.hash}, ${preview}::boolean, 'pending', now() + make_interval(mins => ${MINUTES})
          from room returning 1)
      select exists (select from added) as "isAdded",
             case when ${party} = 'operator' then pg_notify(${QUEUE_CHANNEL}, ${organizationId}::text) end as notified
        from held`,
  );
  if (!added) throw fail('NOT_FOUND', 'Conversation not found');
  return added.isAdded ? id : null;
}

/** The newest requests for approval of the conversation `r`, oldest first, for the prompt of its later replies. */
export const ASKED_CALLS = `coalesce((
  select json_agg(json_build_object('text', text, 'status', status) order by created_at, id) from (
    select id, text, status, created_at from agent.approvals where conversation_id = r.id order by created_at desc, id desc limit 10) newest), '[]')`;

export interface AskedCall {
  text: string;
  status: EnumValue<'ApprovalStatus'>;
}
