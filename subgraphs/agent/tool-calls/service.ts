import type { Pool } from 'pg';
import { Args, Authorized, Ctx, FieldResolver, ID, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { v7 as uuid } from 'uuid';
import { clock, column, columns, deleteOld, isId, Owned, query, sql, Table } from '../../../platform/database/index.ts';
import { args, field, Id } from '../../../platform/fields/index.ts';
import { type ListPage, listPage, PageOf, pageArguments, paginate } from '../../../platform/lists/index.ts';
import { detached, type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { fail } from '../../../schema/errors.ts';
import { storableJson } from '../../../schema/json.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { storable } from '../../../schema/text.ts';
import { emitEvent } from '../agent-events.ts';
import { requireAgent } from '../agents/service.ts';
import { Approval } from '../approvals/entity.ts';
import { ERASED_VISITOR } from '../conversations/entity.ts';
import { type Tool, ToolRequest } from '../tools/entity.ts';

@ObjectType({ description: 'The audit record of one call of a tool by the model. Dry runs have none.' })
@Table('agent.tool_calls')
export class ToolCall extends columns(Owned, {
  agentId: column('uuid'),
  toolId: column('uuid', { nullable: true, description: 'The tool may have been deleted since.' }),
  toolName: column('string', { length: 64, description: 'The name of the tool at the time of the call.' }),
  conversationId: column('uuid', { nullable: true }),
  status: column(enumTypes.ToolCallStatus, { initial: 'running' }),
  responseStatus: column('integer', { nullable: true, description: 'The HTTP status of the receiver; null if it did not answer.' }),
  durationMs: column('integer', { nullable: true, description: 'Duration of the call in milliseconds; null while it runs.' }),
  request: column(ToolRequest, {
    type: 'json',
    nullable: true,
    description: 'Null if the parameters do not make a valid request.',
  }),
  error: column('text', { nullable: true, description: 'The reason why the call failed.' }),
  approvalId: column('uuid', { nullable: true, description: 'The approval of the call; null if it needed none.' }),
  createdAt: column('datetime', { initial: clock.now, description: 'When the call started.' }),
}) {}

class ToolCallArguments extends args(pageArguments(50), {
  toolId: field(ID, { nullable: true, description: 'Only calls of this tool.' }),
  conversationId: field(ID, { nullable: true, description: 'Only calls in this conversation.' }),
  status: field(enumTypes.ToolCallStatus, { nullable: true, description: 'Only calls with this status.' }),
}) {}

@ObjectType({ description: 'One page of the tool calls of an agent.' })
class ToolCallPage extends PageOf(ToolCall, 'ToolCallPage') {}

@Resolver(() => ToolCall)
export class ToolCallResolver {
  /** The calls of an agent, newest first. Throws `NOT_FOUND` if the agent does not exist. */
  @Authorized('admin')
  @Query(() => ToolCallPage, {
    nullable: true,
    description: 'The audit records of the tool calls of an agent, newest first. Records are deleted after 90 days.',
  })
  async toolCalls(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Args(() => ToolCallArguments) filter: ToolCallArguments,
  ): Promise<ListPage<ToolCall>> {
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

  @FieldResolver(() => Approval, {
    nullable: true,
    description: 'The approval with which the call was sent; null if it needed none.',
  })
  approval(@Ctx() scope: RequestScope, @Root() { approvalId, organizationId }: ToolCall) {
    return approvalId && scope.within(organizationId).load(Approval, approvalId);
  }
}

/** The result of a call for its audit record. */
interface CallEnd {
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

/** Days to keep the record of a call. */
const DAYS = 90;

/** The value of `to_report` of a call that ends: whether it was made for a visitor, and somebody subscribed to the event. */
const REPORTED = `(webhooks.is_subscribed(organization_id, 'tool.called', agent_id)
  and exists (select from agent.conversations c where c.id = conversation_id and c.channel = 'widget'))`;

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

/** Calls that one event names, and agents of a round. */
const [BATCH, AGENTS] = [100, 500];
/** Milliseconds in which a sweep starts batches. The next sweep continues. */
const SWEEP_MS = 50_000;

const WAITING = `select distinct organization_id as "organizationId", agent_id as "agentId" from agent.tool_calls where to_report limit ${AGENTS}`;

/**
 * Emit the ended calls that were not reported yet: an event for up to 100 calls of an agent. Agents take turns, a batch at a time, and a
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
      reported as (
        update agent.tool_calls t set to_report = false from next where t.id = next.id
        returning t.id, t.tool_id, t.tool_name, t.conversation_id, t.status, t.response_status, t.duration_ms, t.created_at)
      select reported.id, tool_id as "toolId", tool_name as "toolName", conversation_id as "conversationId", reported.status,
             response_status as "responseStatus", duration_ms as "durationMs", reported.created_at as "createdAt", a.name as "agentName"
        from reported join agent.agents a on a.id = ${agentId} order by reported.created_at, reported.id`,
  );
  if (calls.length === 0) return 0;
  const { agentName } = calls[0]!;
  const named = calls.map(({ agentName: _, createdAt, ...call }) => ({ ...call, createdAt: new Date(createdAt) }));
  await emitEvent(scope, 'tool.called', { agentId, id: calls[0]!.id }, { agentId, agentName, calls: named });
  return calls.length;
}
