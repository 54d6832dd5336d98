import type { RawBuilder } from 'kysely';
import type { Pool } from 'pg';
import { fail } from '../../schema/errors.ts';
import { findById, query, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';
import { resealColumn, type Secrets } from '../secrets/index.ts';
import { secretName } from './delivery-attempt.ts';
import { announce } from './emit.ts';
import { WebhookSubscription } from './entity.ts';
import { policyOf, type WebhookSurface } from './policies.ts';

/** A subscription of a surface. Throws `NOT_FOUND`. */
export const findSubscription = ({ em }: Scope, surface: WebhookSurface, id: string): Promise<WebhookSubscription> =>
  findById(em, WebhookSubscription, id, policyOf(surface).noun, { where: { surface } });

/** Throws `UNPROCESSABLE` for a disabled subscription, which sends nothing. */
export function requireEnabled({ enabled, surface }: WebhookSubscription): void {
  if (!enabled) throw fail('UNPROCESSABLE', `The ${policyOf(surface).noun.toLowerCase()} is disabled.`);
}

/** Disable a subscription for a user. Events are not recorded until it is enabled, unlike after failures. */
export async function disable(scope: Scope, subscription: WebhookSubscription): Promise<void> {
  subscription.enabled = false;
  subscription.disabledAt = null;
  await scope.em.flush();
  await set(scope, subscription, sql`enabled = false, disabled_at = null`);
}

/** Enable a subscription, reset its failure count, and send its waiting deliveries. Runs in the transaction of the scope. */
export async function enable(scope: Scope, subscription: WebhookSubscription): Promise<void> {
  subscription.enabled = true;
  subscription.failureCount = 0;
  await scope.em.flush();
  await set(scope, subscription, sql`enabled = true, failure_count = 0`);
  announce(scope);
}

/** The mapper writes only what differs from its read, and failures may have disabled the subscription since. */
const set = ({ em, organizationId }: Scope, { id }: WebhookSubscription, values: RawBuilder<unknown>) =>
  query(em, sql`update webhooks.subscriptions set ${values} where id = ${id} and organization_id = ${organizationId}`);

/** Reseal the signing secrets of webhooks with the first key. */
export async function resealSigningSecrets(pool: Pool, secrets: Secrets): Promise<void> {
  for (const column of ['secret', 'previous_secret'] as const)
    await resealColumn(pool, secrets, { table: 'webhooks.subscriptions', column, nameOf: secretName });
}
