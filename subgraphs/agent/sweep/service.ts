import { createHash, timingSafeEqual } from 'node:crypto';
import { fail } from '../../../schema/errors.ts';
import type { RequestScope } from '../../common/scope.ts';
import { type SweepResult, startDeliverer } from '../../common/webhooks/deliverer.ts';

/**
 * Send the webhook deliveries that are due, in any number of processes concurrently. Throws `UNAVAILABLE` without a configured
 * `CRON_SECRET`, and `INVALID_KEY` for another credential.
 */
export async function sweepWebhooks({ services }: RequestScope, authorization: string | null | undefined): Promise<SweepResult> {
  const { cronSecret, outbound } = services;
  if (!cronSecret) throw fail('UNAVAILABLE', 'The webhook sweeper is not configured.');
  const [, credential] = /^Bearer +(.+)$/i.exec(authorization ?? '') ?? [];
  if (!credential || !isEqual(credential, cronSecret)) throw fail('INVALID_KEY', 'Invalid credential');
  const deliverer = startDeliverer(services, outbound);
  try {
    return await deliverer.sweep();
  } finally {
    await deliverer.close();
  }
}

/** Compares in constant time, for secrets of any length. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
const digest = (text: string) => createHash('sha256').update(text).digest();
