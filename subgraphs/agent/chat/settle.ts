import { moveCredits } from '../../common/credits.ts';
import { query, sql } from '../../common/database.ts';
import { detached, type Scope, transaction } from '../../common/scope.ts';
import type { Services } from '../../common/services.ts';
import { appendEvent } from '../handoff/events.ts';
import { isOpen } from '../handoff/state.ts';
import { type Chunk, closingChunks, textOf, toParts } from './chunks.ts';
import { CHUNKS_CHANNEL } from './store.ts';
import { tokensOf } from './tokens.ts';

/** How a reply ended. */
export interface Outcome {
  status: 'complete' | 'stopped' | 'failed';
  /** Why it failed, for the owner. */
  error?: string;
  model?: string;
  inputTokens?: number;
  outputTokens?: number;
  /** Whether it says that nothing answers the question. */
  unanswered?: boolean;
  /** Sentences that the passages they cite do not support. */
  unsupported?: readonly string[];
}

/** Shown to visitors when a reply fails. It must not name the cause, which may concern the operator. */
export const FAILED_TEXT = 'The reply could not be completed. Please try again.';

/** Followers may have received chunks that were never stored, so the numbers after an interruption leave a gap. */
const INTERRUPTION_GAP = 10_000;

/** The day whose budget a reply `m` of the conversation `c` counts against. */
const BUDGET_DAY = sql`case when c.channel = 'widget' then (m.created_at at time zone 'utc')::date::text end`;

interface Settlement {
  outcome: Outcome;
  /** The chunks of the whole reply, and how many of them are stored. */
  chunks: readonly Chunk[];
  stored: number;
}

/**
 * Store the end of a reply in one transaction: its remaining chunks, its message, and the refund of a failed reply. Returns false when
 * another process has ended the reply, or its conversation was deleted.
 */
export async function settleReply(
  services: Services,
  reply: { id: string; organizationId: string; lease: string },
  { outcome, chunks, stored }: Settlement,
): Promise<boolean> {
  return transaction(detached({ services, organizationId: reply.organizationId }), async (scope) => {
    const held = await lockReply(scope, reply.id, sql`lease = ${reply.lease}`);
    if (!held) return false;
    await write(scope, held, outcome, chunks, { first: stored + 1, chunks: chunks.slice(stored) });
    return true;
  });
}

/** End a reply whose process was killed with a stored error. Has no effect when its lease is still valid. */
export async function settleDead(services: Services, reply: { id: string; organizationId: string }): Promise<void> {
  await transaction(detached({ services, organizationId: reply.organizationId }), async (scope) => {
    const held = await lockReply(scope, reply.id, sql`leased_until < now()`);
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
    const closing = closingChunks(chunks, FAILED_TEXT);
    const first = (last ? last.first + last.parts.length : 1) + INTERRUPTION_GAP;
    await write(scope, held, { status: 'failed', error: 'The process was stopped while it wrote the reply.' }, chunks, {
      first,
      chunks: closing,
    });
  });
}

/** Refund the running replies of conversations that the transaction deletes. Their processes then end them as failed. */
export async function refundRunning(scope: Scope, conversations: ReturnType<typeof sql>): Promise<void> {
  const running = await query(
    scope.em,
    sql<Held>`select m.id, m.conversation_id as "conversationId", c.agent_id as "agentId", m.credits, ${BUDGET_DAY} as "budgetDay"
                from agent.conversations c join agent.messages m on m.conversation_id = c.id and m.status = 'running'
               where ${conversations} for update of c, m`,
  );
  for (const held of running) if (Number(held.credits) > 0) await giveBack(scope, held, Number(held.credits));
}

interface Held {
  id: string;
  conversationId: string;
  agentId: string;
  credits: string;
  /** The day whose budget the reply counts against; null if it has none. */
  budgetDay: string | null;
}

async function lockReply({ em }: Scope, id: string, condition: ReturnType<typeof sql>): Promise<Held | undefined> {
  // Lock the conversation first, as a deletion does.
  await query(
    em,
    sql`select 1 from agent.conversations where id = (select conversation_id from agent.messages where id = ${id}) for update`,
  );
  const [held] = await query(
    em,
    sql<Held>`select m.id, m.conversation_id as "conversationId", c.agent_id as "agentId", m.credits,
                     ${BUDGET_DAY} as "budgetDay"
                from (select * from agent.messages where id = ${id} and status = 'running' and ${condition} for update) m
                join agent.conversations c on c.id = m.conversation_id`,
  );
  return held;
}

async function write(
  scope: Scope,
  held: Held,
  outcome: Outcome,
  chunks: readonly Chunk[],
  rest: { first: number; chunks: readonly Chunk[] },
): Promise<void> {
  const { em } = scope;
  const { status, error = null, model = null, inputTokens = 0, outputTokens = 0, unanswered = false, unsupported = [] } = outcome;
  const parts = toParts(chunks);
  const text = textOf(parts);
  const refund = status === 'failed' ? Number(held.credits) : 0;
  if (rest.chunks.length > 0)
    await query(
      em,
      sql`insert into agent.reply_parts (message_id, first, parts) values (${held.id}, ${rest.first}, ${JSON.stringify(rest.chunks)}::jsonb)
          on conflict do nothing`,
    );
  await query(
    em,
    sql`update agent.messages set status = ${status}, error = ${error}, parts = ${JSON.stringify(parts)}::jsonb, text = ${text}, tokens = ${tokensOf(text)},
               model = ${model}, input_tokens = ${inputTokens}, output_tokens = ${outputTokens}, credits = credits - ${refund},
               unanswered = ${unanswered}, unsupported = ${JSON.stringify(unsupported)}::jsonb, lease = null, leased_until = null, finished_at = now() where id = ${held.id}`,
  );
  const [conversation] = await query(
    em,
    sql<{ handoffStatus: string | null }>`update agent.conversations set last_message_at = now() where id = ${held.conversationId}
                                          returning handoff_status as "handoffStatus"`,
  );
  // Operators can read along while the visitor waits.
  if (text !== '' && status !== 'failed' && isOpen(conversation!.handoffStatus))
    await appendEvent(scope, held.conversationId, { type: 'message', party: 'agent', messageId: held.id });
  if (refund > 0) await giveBack(scope, held, refund);
  await query(em, sql`select pg_notify(${CHUNKS_CHANNEL}, ${held.id}::text)`);
}

async function giveBack(scope: Scope, { id, agentId, budgetDay }: Held, amount: number): Promise<void> {
  if (budgetDay)
    await query(
      scope.em,
      sql`update agent.daily_credits set credits = credits - ${amount} where agent_id = ${agentId} and day = ${budgetDay}::date`,
    );
  await moveCredits(scope, { amount, reason: 'refund of a failed reply', reference: `reply-refund:${id}` });
}
