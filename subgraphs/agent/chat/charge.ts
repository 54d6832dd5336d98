import { v7 as uuid } from 'uuid';
import { afterCommit, query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { creditsSpent } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import type { Agent } from '../agents/entity.ts';

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
