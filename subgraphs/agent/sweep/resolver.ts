import { Arg, Authorized, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { isSecret } from '../../../platform/secrets/index.ts';
import { type SweepResult, startDeliverer } from '../../../platform/webhooks/index.ts';
import { fail } from '../../../schema/errors.ts';

@ObjectType({ description: 'The result of a sweep.' })
class WebhookSweep {
  @Field(() => Int, { description: 'Attempts of this sweep.' })
  processed!: number;

  @Field(() => Int)
  delivered!: number;

  @Field(() => Int, { description: 'Failed attempts, including those that will be retried.' })
  failed!: number;

  @Field(() => Int, { description: 'Deliveries that are still due.' })
  remaining!: number;
}

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
  if (!isSecret(cronSecret, credential)) throw fail('INVALID_KEY', 'Invalid credential');
  const deliverer = startDeliverer(services, outbound);
  try {
    return await deliverer.sweep();
  } finally {
    await deliverer.close();
  }
}
