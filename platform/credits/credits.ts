import { v7 as uuid } from 'uuid';
import { fail } from '../../schema/errors.ts';
import { query, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';

/** A change of the balance. */
export interface Movement {
  /** Negative for a charge. */
  amount: number;
  reason: string;
  /** Idempotency key, such as `item:<id>`: a second movement with the same reference has no effect. */
  reference: string;
}

/**
 * Move credits in the transaction of the scope. Returns false, without any change, when a charge exceeds the balance, unless `enforce` is
 * false.
 */
export async function moveCredits(scope: Scope, change: Movement, { enforce = true } = {}): Promise<boolean> {
  const [row] = await query(scope.em, sql<{ moved: boolean }>`select ${movement(scope, change, enforce)} as moved`);
  return row?.moved === true;
}

/** The call of `moveCredits` as a part of another statement. */
export function movement({ organizationId, services }: Scope, { amount, reason, reference }: Movement, enforce = true) {
  const isEnforced = enforce && services.requireCredits && amount < 0;
  return sql<boolean>`identity.move_credits(${uuid()}, ${organizationId}, ${amount}, ${reason}, ${reference}, ${isEnforced})`;
}

/**
 * Add a charge to the entry of the ledger with the same reference, in the transaction of the scope, which makes it happen once. Returns
 * false, without any change, when it exceeds the balance.
 */
export async function addCharge(scope: Scope, { amount, reason, reference }: Movement): Promise<boolean> {
  const { em, organizationId, services } = scope;
  const [row] = await query(
    em,
    sql<{ paid: boolean }>`
      select identity.add_charge(${uuid()}, ${organizationId}, ${amount}, ${reason}, ${reference}, ${services.requireCredits}) as paid`,
  );
  return row?.paid === true;
}

/** Whether a charge of this price would succeed now. */
export const canPay = async (scope: Scope, price: number): Promise<boolean> =>
  !scope.services.requireCredits || (await balanceOf(scope)) >= price;

/** The credits of the organization. */
export async function balanceOf({ em, organizationId }: Scope): Promise<number> {
  const [row] = await query(em, sql<{ credits: string }>`select credits from identity.organizations where id = ${organizationId}`);
  return Number(row?.credits ?? 0);
}

/** Throws `OUT_OF_CREDITS` when the organization has no credits left for an AI job. */
export async function requireBalance(scope: Scope): Promise<void> {
  if (!scope.services.requireCredits || (await balanceOf(scope)) > 0) return;
  throw fail('OUT_OF_CREDITS', 'Credit limit reached. Please top up your credits to start a new enrichment job.');
}
