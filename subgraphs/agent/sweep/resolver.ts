import { Arg, Authorized, Ctx, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { field, output } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { isSecret } from '../../../platform/secrets/index.ts';
import { type SweepResult, startDeliverer } from '../../../platform/webhooks/index.ts';
import { fail } from '../../../schema/errors.ts';

@ObjectType({ description: 'The result of a sweep.' })
class WebhookSweep extends output({
  processed: field(Int, 'Attempts of this sweep.'),
  delivered: field(Int),
  failed: field(Int, 'Failed attempts, including those that will be retried.'),
  remaining: field(Int, 'Deliveries that are still due.'),
}) {}

@Resolver()
export class SweepResolver {
  @Authorized('public')
  @Mutation(() => WebhookSweep, {
    description: 'Send the webhook deliveries that are due. Requires the `CRON_SECRET` of the operator.',
  })
  sweepWebhooks(
    @Ctx() scope: RequestScope,
    @Arg('authorization', () => String, { nullable: true, description: '`Bearer` and the secret.' }) authorization?: string | null,
  ) {
    return sweepWebhooks(scope, authorization);
  }
}

/**
 * Send the webhook deliveries that are due, in any number of processes concurrently. Throws `UNAVAILABLE` without a configured
 * `CRON_SECRET`, and `INVALID_KEY` for another credential.
 */
async function sweepWebhooks({ services }: RequestScope, authorization: string | null | undefined): Promise<SweepResult> {
  const { cronSecret, outbound } = services;
  if (!cronSecret) throw fail('UNAVAILABLE', 'The webhook sweeper is not configured.');
  const [, credential] = /^Bearer +(\S.*)$/i.exec(authorization ?? '') ?? [];
  if (!isSecret(cronSecret, credential)) throw fail('INVALID_KEY', 'Invalid credential.');
  const deliverer = startDeliverer(services, outbound);
  try {
    return await deliverer.sweep();
  } finally {
    await deliverer.close();
  }
}
