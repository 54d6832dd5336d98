import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { isId, query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { storableJson } from '../../../schema/json.ts';
import { LEASE, type ReplyRef } from '../chat/reply-store.ts';
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

/** The deciding party. A visitor decides in an own conversation, and an operator for the organization. */
export type Decider =
  | { party: 'visitor'; agentId: string; visitorId: string; channel: EnumValue<'ConversationChannel'> }
  | { party: 'operator'; userId: string; name: string }
  | { party: 'clock' };

/** A reply whose approvals are all decided, so that it continues. */
export interface Reopened extends ReplyRef {
  lease: string;
  channel: EnumValue<'ConversationChannel'>;
}

interface Locked {
  id: string;
  agentId: string;
  conversationId: string;
  messageId: string;
  party: EnumValue<'ApprovalParty'>;
  status: EnumValue<'ApprovalStatus'>;
  isExpired: boolean;
  /** The visitor of the conversation, who may have signed in since the question. */
  visitorId: string;
  channel: EnumValue<'ConversationChannel'>;
  handoffStatus: string | null;
  isReplying: boolean;
}

interface Decided {
  /** The reply that continues; null while other calls of it wait, while a person has the conversation, and for a repeated decision. */
  reply: Reopened | null;
  /** The reply that called the tool. */
  asked: ReplyRef;
  /** A person has the conversation, so that the agent does not reply. An approved call is sent all the same. */
  isSilent: boolean;
  /** Somebody has decided so before, such as a client that lost the response. */
  isRepeated: boolean;
  /** The conversation was being answered before the decision. */
  isReplying: boolean;
}

/**
 * Decide about the call of a tool, once. The same decision again changes nothing. Returns null when there is nothing to expire. Throws
 * `NOT_FOUND` for the approval of somebody else, and `CONFLICT` if it is decided otherwise, has expired, or the conversation is being
 * answered.
 */
export function decide(scope: Scope, id: string, approved: boolean, by: Decider): Promise<Decided | null> {
  return transaction(detached(scope), async (inner) => {
    const approval = await lockApproval(inner, id);
    requireDecider(approval, by);
    const { status, isExpired, isReplying, messageId: replyId, agentId, conversationId } = approval;
    const asked = { id: replyId, organizationId: scope.organizationId, agentId, conversationId };
    if (by.party === 'clock' && (status !== 'pending' || !isExpired)) return null;
    if (statusesAfter[approved ? 'approved' : 'refused'].includes(status))
      return { reply: null, asked, isSilent: false, isRepeated: true, isReplying };
    if (status !== 'pending') throw fail('CONFLICT', DECIDED);
    if (by.party !== 'clock' && isExpired) throw fail('CONFLICT', EXPIRED);
    if (isReplying) throw fail('CONFLICT', 'The conversation is being answered. Please wait for the reply.');
    const isSilent = approval.handoffStatus === 'active';
    if (isSilent && approved && by.party === 'visitor')
      throw fail('CONFLICT', 'A person has this conversation. Please ask this person.');
    await settle(inner, approval, by.party === 'clock' ? 'expired' : approved ? 'approved' : 'refused', by);
    return { reply: isSilent ? null : await reopen(inner, approval), asked, isSilent, isRepeated: false, isReplying };
  });
}

/** The statuses that follow from each decision. */
const statusesAfter: Record<'approved' | 'refused', EnumValue<'ApprovalStatus'>[]> = {
  approved: ['approved', 'sending', 'succeeded', 'failed', 'unclear'],
  refused: ['refused'],
};

const DECIDED = 'This request has been decided already.';
const EXPIRED = 'This request has expired. Please ask again.';

/** Locks the conversation first, as everything does that ends a reply or begins one. */
async function lockApproval({ em, organizationId }: Scope, id: string): Promise<Locked> {
  if (!isId(id)) return notFound();
  await query(
    em,
    sql`select 1 from agent.conversations where organization_id = ${organizationId} and id = (
          select conversation_id from agent.approvals where id = ${id} and organization_id = ${organizationId}) for update`,
  );
  // A statement of its own, because one does not see what was committed while it waited for the lock.
  const [found] = await query(
    em,
    sql<Locked>`
      select a.id, a.agent_id as "agentId", a.conversation_id as "conversationId", a.message_id as "messageId", a.party, a.status,
             a.expires_at <= now() as "isExpired", c.visitor_id as "visitorId", c.channel,
             c.handoff_status as "handoffStatus",
             exists (select from agent.messages m where m.conversation_id = c.id and m.status = 'running') as "isReplying"
        from agent.approvals a join agent.conversations c on c.id = a.conversation_id
       where a.id = ${id} and a.organization_id = ${organizationId} for update of a`,
  );
  return found ?? notFound();
}

function requireDecider(approval: Locked, by: Decider): void {
  if (by.party === 'clock') return;
  if (by.party === 'visitor') {
    const isOwn = approval.agentId === by.agentId && approval.visitorId === by.visitorId && approval.channel === by.channel;
    if (!isOwn) notFound();
  }
  if (approval.party !== by.party)
    throw fail(
      'FORBIDDEN',
      by.party === 'visitor' ? 'A member of the team decides about this.' : 'The visitor decides about this.',
    );
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Approval not found');
}

async function settle({ em, organizationId }: Scope, { id, party }: Locked, status: string, by: Decider): Promise<void> {
  const [userId, name] = by.party === 'operator' ? [by.userId, by.name] : [null, null];
  await query(
    em,
    sql`update agent.approvals set status = ${status}, decided_at = now(), decided_by = ${userId}::uuid, decided_by_name = ${name}
         where id = ${id} and organization_id = ${organizationId}`,
  );
  if (party === 'operator') await query(em, sql`select pg_notify(${QUEUE_CHANNEL}, ${organizationId}::text)`);
}

/** Let the reply run again when its last call is decided. Its message is running from the commit, so that nothing else begins meanwhile. */
async function reopen(
  { em, organizationId }: Scope,
  { messageId, conversationId, agentId, channel }: Locked,
): Promise<Reopened | null> {
  const lease = randomUUID();
  const [running] = await query(
    em,
    sql`update agent.messages m set status = 'running', lease = ${lease}, leased_until = ${sql.raw(LEASE)}, stop_requested = false, finished_at = null
         where m.id = ${messageId} and m.organization_id = ${organizationId} and m.status = 'complete' and not m.replaced
           and not exists (select from agent.approvals a where a.message_id = m.id and a.status = 'pending')
        returning 1`,
  );
  return running ? { id: messageId, organizationId, conversationId, agentId, channel, lease } : null;
}

/** Withdraw the requests that wait for these parties in a locked conversation. `agent.add_reply` does the same for those of the visitor. */
export async function withdrawApprovals(
  { em, organizationId }: Scope,
  conversationId: string,
  parties: EnumValue<'ApprovalParty'>[],
): Promise<void> {
  await query(
    em,
    sql`with withdrawn as (
          update agent.approvals set status = 'withdrawn', decided_at = now()
           where conversation_id = ${conversationId} and status = 'pending' and party = any(${parties}::text[]) returning party)
        select pg_notify(${QUEUE_CHANNEL}, ${organizationId}::text) from withdrawn where party = 'operator' limit 1`,
  );
}

const DUE = `select id, organization_id as "organizationId" from agent.approvals
  where status = 'pending' and expires_at <= now() order by expires_at limit 100`;

/** The requests whose time has passed. */
export async function expiredRequests(pool: Pool): Promise<{ id: string; organizationId: string }[]> {
  return (await pool.query<{ id: string; organizationId: string }>(DUE)).rows;
}
