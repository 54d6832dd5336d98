import { v7 as uuid } from 'uuid';
import { fail } from '../../schema/errors.ts';
import { query, sql } from './database.ts';
import type { Scope } from './scope.ts';

/** One movement of credits. */
export interface Movement {
  /** Negative for a charge. */
  amount: number;
  reason: string;
  /** What it is for, such as `item:<id>`: a second movement for the same thing moves nothing, so a repeated activity charges once. */
  reference: string;
}

/** Move credits in the transaction of the scope. False, with nothing moved, when a charge exceeds the balance. */
export async function moveCredits(
  { em, organizationId, services }: Scope,
  { amount, reason, reference }: Movement,
): Promise<boolean> {
  const enforce = services.requireCredits && amount < 0;
  const [row] = await query(
    em,
    sql<{
      moved: boolean;
    }>`select identity.move_credits(${uuid()}, ${organizationId}, ${amount}, ${reason}, ${reference}, ${enforce}) as moved`,
  );
  return row?.moved === true;
}

/** The balance of the organization. */
export async function balanceOf({ em, organizationId }: Scope): Promise<number> {
  const [row] = await query(em, sql<{ credits: string }>`select credits from identity.organizations where id = ${organizationId}`);
  return Number(row?.credits ?? 0);
}

/** Refuse to start an AI job with nothing to pay it from. */
export async function requireBalance(scope: Scope): Promise<void> {
  if (!scope.services.requireCredits || (await balanceOf(scope)) > 0) return;
  throw fail('OUT_OF_CREDITS', 'Credit limit reached. Please top up your credits to start a new enrichment job.');
}
