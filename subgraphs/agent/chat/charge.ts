import { moveCredits } from '../../../platform/credits/index.ts';
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
  const countsBudget = byVisitor && scope.services.requireCredits;
  if (countsBudget && !(await chargeBudget(scope, agent, price))) return false;
  // Last, because it locks the row of the organization.
  const paid = await moveCredits(scope, { amount: -price, reason, reference });
  if (paid) afterCommit(() => creditsSpent.inc({ kind: 'chat' }, price));
  if (!paid && countsBudget)
    await query(
      scope.em,
      sql`update agent.daily_credits set credits = credits - ${price} where agent_id = ${agent.id} and day = (now() at time zone 'utc')::date`,
    );
  return paid;
}

async function chargeBudget({ em }: Scope, { id, dailyCreditLimit }: Charge['agent'], price: number): Promise<boolean> {
  if (price > dailyCreditLimit) return false;
  const charged = await query(
    em,
    sql`insert into agent.daily_credits (agent_id, day, credits) values (${id}, (now() at time zone 'utc')::date, ${price})
        on conflict (agent_id, day) do update set credits = agent.daily_credits.credits + ${price}
        where agent.daily_credits.credits + ${price} <= ${dailyCreditLimit} returning 1`,
  );
  return charged.length > 0;
}

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
