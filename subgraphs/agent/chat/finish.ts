import { setTimeout as sleep } from 'node:timers/promises';
import type { RawBuilder } from 'kysely';
import { v7 as uuid } from 'uuid';
import { moveCredits } from '../../../platform/credits/index.ts';
import { afterCommit, isDataError, query, queryPrepared, sql } from '../../../platform/database/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { chatReplies, creditsRefunded, creditsSpent, log } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { storableJson } from '../../../schema/json.ts';
import type { Agent } from '../agents/entity.ts';
import { appendEvent } from '../handoff/handoff-state.ts';
import { tokensOf } from '../retrieval/token-count.ts';
import { CHUNKS_CHANNEL, type Chunk, closingChunks, readState, textOf, toParts } from './reply-store.ts';
import { type Reply, type ReplyOutcome, repliesOf } from './running-replies.ts';

const ATTEMPTS = 20;
const DELAY = 500;

/**
 * Store the end of a reply before its readers see it, because a reader may send the next message at once. While the database is down it
 * retries; after that the lease expires, and another process stores the end. A reply that cannot be stored ends as failed.
 */
export async function finishReply(services: Services, reply: Reply, outcome: ReplyOutcome): Promise<void> {
  await repliesOf(services).settling(reply);
  let end = endOf(reply.chunks, outcome);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      const isOurs =
        (await settleReply(services, reply.ref, { ...end, stored: reply.stored })) || (attempt > 1 && (await isSettled()));
      if (isOurs) chatReplies.inc({ status: end.outcome.status });
      return reply.push(...closingOf(reply.chunks, isOurs ? end.outcome.status : 'failed'));
    } catch (error) {
      log.warn({ err: error, replyId: reply.ref.id }, 'Failed to store the end of a reply');
      if (services.background.signal.aborted) break;
      if (isDataError(error))
        end = endOf(reply.chunks, { status: 'failed', error: 'Internal error', version: outcome.version }, reply.stored);
      await sleep(DELAY, undefined, { ref: false });
    }
  }
  reply.push(...closingOf(reply.chunks, 'failed'));

  /** The answer to an earlier attempt may be lost after its commit. Other processes only store that a reply failed. */
  async function isSettled(): Promise<boolean> {
    const state = await readState(services.pool, reply.ref.id);
    return state?.status === end.outcome.status;
  }
}

/** @param kept the number of chunks to keep in the stored reply; by default all */
function endOf(all: readonly Chunk[], outcome: ReplyOutcome, kept = all.length) {
  const chunks = all.slice(0, kept);
  return { outcome, chunks: [...chunks, ...closingOf(chunks, outcome.status)] };
}

const closingOf = (chunks: readonly Chunk[], status: ReplyOutcome['status']): Chunk[] =>
  closingChunks(chunks, status === 'failed' ? FAILED_TEXT : undefined);

/** Shown to visitors when a reply fails. It must not name the cause, which may concern the operator. */
export const FAILED_TEXT = 'The reply could not be completed. Please try again.';

/** Followers may have received chunks that were never stored, so the numbers after an interruption leave a gap. */
const INTERRUPTION_GAP = 10_000;

/** The day whose budget a reply `m` of the conversation `c` counts against. */
const BUDGET_DAY = sql`case when c.channel = 'widget' then (m.created_at at time zone 'utc')::date::text end`;

/** Whether no handoff of the conversation `c` is open. */
const WITHOUT_HANDOFF = sql`coalesce(c.handoff_status, '') not in ('waiting', 'active')`;

interface Settlement {
  outcome: ReplyOutcome;
  /** The chunks of the whole reply, and how many of them are stored. */
  chunks: readonly Chunk[];
  stored: number;
}

/**
 * Store the end of a reply atomically: its remaining chunks, its message, and the refund of a failed reply. Returns false when another
 * process has ended the reply, or its conversation was deleted.
 */
export async function settleReply(
  services: Services,
  reply: { id: string; organizationId: string; lease: string },
  { outcome, chunks, stored }: Settlement,
): Promise<boolean> {
  const scope = detached({ services, organizationId: reply.organizationId });
  const ending = { outcome, chunks, rest: { first: stored + 1, chunks: chunks.slice(stored) } };
  const settle = (within: Scope, condition: RawBuilder<unknown>) => endReply(within, reply.id, condition, ending);
  const isLeased = sql`lease = ${reply.lease}`;
  // Most replies end with one statement. Events of handoffs need more.
  if (await settle(scope, sql`${isLeased} and ${WITHOUT_HANDOFF}`)) return true;
  return transaction(scope, (inner) => settle(inner, isLeased));
}

/** End a reply whose process was killed with a stored error. Has no effect when its lease is still valid. */
export async function settleDead(services: Services, reply: { id: string; organizationId: string }): Promise<void> {
  const isDead = sql`leased_until < now()`;
  await transaction(detached({ services, organizationId: reply.organizationId }), async (scope) => {
    const [held] = await query(scope.em, sql<{ id: string }>`with ${lockedReply(reply.id, isDead)} select id from held`);
    if (!held) return;
    const batches = await query(
      scope.em,
      sql<{
        first: number;
        parts: Chunk[];
      }>`select first, parts from agent.reply_parts where message_id = ${reply.id} order by first`,
    );
    const chunks = batches.flatMap(({ parts }) => parts);
    const last = batches.at(-1);
    // It may have been killed before its first chunk was stored, also when it continued after an approval.
    const hasBegun = chunks.length > 0 && chunks.at(-1)!.type !== 'finish';
    const opening: Chunk[] = hasBegun ? [] : [{ type: 'start', messageId: reply.id }];
    const closing = [...opening, ...closingChunks([...chunks, ...opening], FAILED_TEXT)];
    const first = (last ? last.first + last.parts.length : 1) + INTERRUPTION_GAP;
    const outcome = { status: 'failed', error: 'The process was stopped while it wrote the reply.' } as const;
    // The stored message ends like the stream, so that no tool call of it stays open.
    await endReply(scope, reply.id, isDead, { outcome, chunks: [...chunks, ...closing], rest: { first, chunks: closing } });
  });
}

/** Lock conversations that the transaction deletes, so that no reply begins in them. */
export async function lockConversations({ em }: Pick<Scope, 'em'>, conversations: RawBuilder<unknown>): Promise<void> {
  await query(em, sql`select count(*) from (select from agent.conversations c where ${conversations} for update) locked`);
}

/** Refund the running replies of conversations that the transaction has locked and deletes. Their processes then end them as failed. */
export async function refundRunning(scope: Scope, conversations: RawBuilder<unknown>): Promise<void> {
  const running = await query(
    scope.em,
    sql<Omit<Held, 'hasHandoff'>>`
      select m.id, m.watched, m.conversation_id as "conversationId", c.agent_id as "agentId", m.credits, ${BUDGET_DAY} as "budgetDay"
                from agent.conversations c join agent.messages m on m.conversation_id = c.id and m.status = 'running'
               where ${conversations} order by m.id for update of c, m`,
  );
  await giveBack(scope, running);
}

interface Held {
  id: string;
  conversationId: string;
  agentId: string;
  credits: string;
  /** The day whose budget the reply counts against; null if it has none. */
  budgetDay: string | null;
  hasHandoff: boolean;
}

/** The common table expressions `c` and `held`: they lock the conversation first, as a deletion does, then the running reply. */
const lockedReply = (id: string, condition: RawBuilder<unknown>) => sql`
  c as materialized (
    select * from agent.conversations where id = (select conversation_id from agent.messages where id = ${id}) for update),
  held as materialized (
    select m.id, m.watched, m.conversation_id as "conversationId", c.agent_id as "agentId", m.credits, ${BUDGET_DAY} as "budgetDay",
           not ${WITHOUT_HANDOFF} as "hasHandoff"
      from c cross join lateral (
        select * from agent.messages where id = ${id} and conversation_id = c.id and status = 'running' and ${condition} for update) m)`;

interface Ending {
  outcome: ReplyOutcome;
  /** The chunks of the whole reply. */
  chunks: readonly Chunk[];
  /** The chunks that are not stored yet, and the number of the first of them. */
  rest: { first: number; chunks: readonly Chunk[] };
}

/** Returns false when the reply is not running, or the condition is false. */
async function endReply(
  scope: Scope,
  id: string,
  condition: RawBuilder<unknown>,
  { outcome, chunks, rest }: Ending,
): Promise<boolean> {
  const {
    status,
    inputTokens = 0,
    outputTokens = 0,
    unanswered = false,
    version = null,
    cited = [],
    products = [],
    firstTokenMs = null,
    durationMs = null,
    question,
  } = outcome;
  const { error, model, unsupported } = storableJson({
    error: outcome.error ?? null,
    model: outcome.model ?? null,
    unsupported: outcome.unsupported ?? [],
  });
  const parts = toParts(chunks);
  const text = textOf(parts);
  const failed = status === 'failed';
  const [held] = await queryPrepared(
    scope.em,
    sql<Held & { isFree: boolean }>`with ${lockedReply(id, condition)},
      -- A failed reply costs nothing, unless an approved call of it was sent. A reply that continued counts all of its tokens.
      ending as materialized (
        select held.*, case when ${failed}::boolean
                 then not exists (select from agent.approvals where message_id = held.id and sent_at is not null) else false end as "isFree"
          from held),
      stored as (
        insert into agent.reply_parts (message_id, first, parts)
        select id, ${rest.first}::int, ${JSON.stringify(rest.chunks)}::jsonb from held where ${rest.chunks.length > 0}::boolean
        on conflict (message_id, first) do update set parts = excluded.parts),
      ended as (
        update agent.messages m set status = ${status}, error = ${error}, parts = ${JSON.stringify(parts)}::jsonb, text = ${text}, tokens = ${tokensOf(text)},
               model = coalesce(${model}, m.model), version = coalesce(${version}::int, m.version),
               -- Only replies to visitors count against the budget of a day.
               agent_id = case when ending."budgetDay" is not null then ending."agentId" end,
               first_token_ms = coalesce(m.first_token_ms, coalesce(m.duration_ms, 0) + ${firstTokenMs}::int),
               duration_ms = coalesce(m.duration_ms + ${durationMs}::int, ${durationMs}::int, m.duration_ms),
               cited = array(select unnest(m.cited) union select unnest(${cited}::uuid[])),
               products = ${products}::text[],
               question_vector = coalesce(${question?.bytes ?? null}::bytea, m.question_vector),
               embedding_model = coalesce(${question?.model ?? null}, m.embedding_model),
               input_tokens = m.input_tokens + ${inputTokens}::int, output_tokens = m.output_tokens + ${outputTokens}::int,
               credits = case when ending."isFree" then 0 else m.credits end, unanswered = ${unanswered},
               unsupported = ${JSON.stringify(unsupported)}::jsonb, lease = null, leased_until = null, finished_at = now()
          from ending where m.id = ending.id),
      touched as (
        update agent.conversations set last_message_at = now() from held where conversations.id = held."conversationId")
      select ending.*, case when watched then pg_notify(${CHUNKS_CHANNEL}, id::text) end,
             case when "isFree" and credits > 0 then
               agent.refund(${uuid()}, ${scope.organizationId}, "agentId", "budgetDay"::date, credits, id) end
        from ending`,
  );
  if (!held) return false;
  // Operators can read along while the visitor waits.
  if (text !== '' && !failed && held.hasHandoff)
    await appendEvent(scope, held.conversationId, { type: 'message', party: 'agent', messageId: held.id });
  if (held.isFree) countRefund(Number(held.credits));
  return true;
}

/** Refund the credits of several replies. */
async function giveBack(scope: Scope, replies: readonly Pick<Held, 'id' | 'agentId' | 'budgetDay' | 'credits'>[]): Promise<void> {
  const paid = replies.filter(({ credits }) => Number(credits) > 0);
  // Budgets first, as a charge locks the organization last.
  for (const { agentId, budgetDay, credits } of paid)
    if (budgetDay)
      await query(
        scope.em,
        sql`update agent.daily_credits set credits = credits - ${credits} where agent_id = ${agentId} and day = ${budgetDay}::date`,
      );
  for (const { id, credits } of paid) {
    const amount = Number(credits);
    await moveCredits(scope, { amount, reason: 'refund of a failed reply', reference: `reply-refund:${id}` });
    countRefund(amount);
  }
}

const countRefund = (credits: number): void => afterCommit(() => creditsRefunded.inc({ kind: 'chat' }, credits));

interface Charge {
  agent: Pick<Agent, 'id' | 'dailyCreditLimit'>;
  price: number;
  reason: string;
  /** Idempotency key of the movement. */
  reference: string;
  /** Whether it also counts against the daily budget of the agent. */
  byVisitor: boolean;
}

/** Charge the organization and, for visitors, the daily budget of the agent. Returns false, without a charge, when either is used up. */
export async function charge(scope: Scope, { agent, price, reason, reference, byVisitor }: Charge): Promise<boolean> {
  const limit = budgetOf(scope, agent, byVisitor);
  const { em, organizationId, services } = scope;
  const [row] = await query(
    em,
    sql<{ paid: boolean }>`
      select agent.charge(${uuid()}, ${organizationId}, ${agent.id}, ${limit}, ${price}, ${reason}, ${reference},
                          ${services.requireCredits}) as paid`,
  );
  const isPaid = row?.paid === true;
  if (isPaid) countSpent(price);
  return isPaid;
}

/** The daily budget that a charge counts against; null if none. */
export const budgetOf = ({ services }: Scope, { dailyCreditLimit }: Charge['agent'], byVisitor: boolean): number | null =>
  byVisitor && services.requireCredits ? dailyCreditLimit : null;

export const countSpent = (price: number): void => afterCommit(() => creditsSpent.inc({ kind: 'chat' }, price));

/** Whether a charge to a visitor would succeed now. */
export async function canCharge({ em, organizationId, services }: Scope, agent: Charge['agent'], price: number): Promise<boolean> {
  if (!services.requireCredits) return true;
  const [left] = await query(
    em,
    sql<{ balance: string; used: string }>`
      select o.credits as balance, coalesce(d.credits, 0) as used from identity.organizations o
        left join agent.daily_credits d on d.agent_id = ${agent.id} and d.day = (now() at time zone 'utc')::date
       where o.id = ${organizationId}`,
  );
  return Number(left?.balance ?? 0) >= price && Number(left?.used ?? 0) + price <= agent.dailyCreditLimit;
}

const prices: Record<EnumValue<'AgentModelType'>, number> = { 'agent-chat-v1': 1, 'agent-chat-pro-v1': 5 };

/** Credits of one reply. */
export const priceOf = (tier: EnumValue<'AgentModelType'>): number => prices[tier];

/** Credits of one voice session. The provider does not report its length, so the price is flat. */
export const VOICE_PRICE = 10;
