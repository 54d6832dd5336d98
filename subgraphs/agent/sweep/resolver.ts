import { Arg, Authorized, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { sweepWebhooks } from './service.ts';

@ObjectType({ description: 'The result of a sweep.' })
class WebhookSweep {
  @Field(() => Int, { description: 'Attempts of this sweep.' })
  processed!: number;

  @Field(() => Int)
  delivered!: number;

  @Field(() => Int, { description: 'Failed attempts. Those that are retried count, too.' })
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
