import type { RequestScope } from '../../../platform/scope/index.ts';
import { isSecret } from '../../../platform/secrets/index.ts';
import { type SweepResult, startDeliverer } from '../../../platform/webhooks/index.ts';
import { fail } from '../../../schema/errors.ts';

/**
 * Send the webhook deliveries that are due, in any number of processes concurrently. Throws `UNAVAILABLE` without a configured
 * `CRON_SECRET`, and `INVALID_KEY` for another credential.
 */
export async function sweepWebhooks({ services }: RequestScope, authorization: string | null | undefined): Promise<SweepResult> {
  const { cronSecret, outbound } = services;
  if (!cronSecret) throw fail('UNAVAILABLE', 'The webhook sweeper is not configured.');
  const [, credential] = /^Bearer +(\S.*)$/i.exec(authorization ?? '') ?? [];
  if (!isSecret(cronSecret, credential)) throw fail('INVALID_KEY', 'Invalid credential');
  const deliverer = startDeliverer(services, outbound);
  try {
    return await deliverer.sweep();
  } finally {
    await deliverer.close();
  }
}
