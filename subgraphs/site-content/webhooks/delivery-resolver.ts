import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import {
  AFTER,
  BODY,
  Delivery,
  DeliveryRange,
  DeliveryReplay,
  MAX_ATTEMPTS,
  ReceivedDelivery,
  SignatureReport,
  WebhookAttempt,
} from '../../../platform/webhooks/index.ts';
import { EDITORS } from '../content/descriptions.ts';
import * as deliveries from './deliveries.ts';
import {
  SiteWebhookDeliveriesArguments,
  SiteWebhookDelivery,
  SiteWebhookDeliveryList,
  SiteWebhookDeliveryUpdate,
} from './delivery-types.ts';

/** Receivers may repeat the body. */
const NO_SNIPPET = '`responseSnippet` is null for callers who may not edit the workspace.';

@Resolver(() => SiteWebhookDelivery)
export class SiteWebhookDeliveryResolver {
  @Authorized('member')
  @Query(() => SiteWebhookDelivery, { description: 'One delivery of the last 30 days.' })
  siteWebhookDelivery(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.findDelivery(scope, id);
  }

  @Authorized('member')
  @Mutation(() => SiteWebhookDelivery, { description: `Send a sample of the first event of a webhook. ${EDITORS}` })
  testSiteWebhook(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.testWebhook(scope, id);
  }

  @Authorized('member')
  @Query(() => SiteWebhookDeliveryList, {
    description:
      'The deliveries of a webhook in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.',
  })
  siteWebhookDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => SiteWebhookDeliveriesArguments) request: SiteWebhookDeliveriesArguments,
  ) {
    return deliveries.listDeliveries(scope, request);
  }

  @Authorized('member')
  @Mutation(() => SiteWebhookDelivery, { description: `Send a delivery again, with the same id and body. ${EDITORS}` })
  replaySiteWebhookDelivery(
    @Ctx() scope: RequestScope,
    @Arg('webhookId', () => ID) webhookId: string,
    @Arg('id', () => ID) id: string,
  ) {
    return deliveries.replay(scope, webhookId, id);
  }

  @Authorized('member')
  @Mutation(() => DeliveryReplay, {
    description: `Send up to 100,000 deliveries of a webhook again, oldest first, with the same ids and bodies. This runs in the background. ${EDITORS}`,
  })
  replaySiteWebhookDeliveries(
    @Ctx() scope: RequestScope,
    @Arg('webhookId', () => ID) webhookId: string,
    @Arg('range', () => DeliveryRange) range: DeliveryRange,
  ) {
    return deliveries.replayRange(scope, webhookId, range);
  }

  @Authorized('member')
  @Query(() => DeliveryReplay, { description: 'A replay by id. Replays are stored for 30 days after their end.' })
  siteWebhookDeliveryReplay(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.findReplay(scope, id);
  }

  @Authorized('member')
  @Mutation(() => DeliveryReplay, {
    description: `Stop a running replay. Deliveries that it has scheduled are still sent. ${EDITORS}`,
  })
  stopSiteWebhookDeliveryReplay(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return deliveries.stopReplay(scope, id);
  }

  @Authorized('member')
  @ListSize(2)
  @Query(() => [SignatureReport], {
    description:
      'Explain why the signatures of a delivery of a webhook are accepted or rejected: time, encoding, secret, id, and changes of the body by a parser.',
  })
  checkSiteWebhookSignature(@Ctx() scope: RequestScope, @Arg('input', () => ReceivedDelivery) input: ReceivedDelivery) {
    return deliveries.checkSignatures(scope, input);
  }

  @Authorized('member')
  @Subscription(() => SiteWebhookDeliveryUpdate, {
    description:
      'All attempts of a webhook, in order, until it is deleted. A client that reconnects with the last `sequence` misses none of the last 30 days.',
    subscribe: ({ context, args }) => deliveries.follow(context as RequestScope, args.webhookId, args.after),
  })
  siteWebhookDeliveryUpdates(
    @Root() update: SiteWebhookDeliveryUpdate,
    @Arg('webhookId', () => ID) _webhookId: string,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): SiteWebhookDeliveryUpdate {
    return update;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: `${BODY} It can contain drafts, so it is null for callers who may not edit the workspace.`,
  })
  body(@Ctx() scope: RequestScope, @Root() delivery: SiteWebhookDelivery) {
    return deliveries.readBody(scope, delivery);
  }

  @ListSize(MAX_ATTEMPTS)
  @FieldResolver(() => [WebhookAttempt], {
    description: `The latest 100 attempts, oldest first. ${NO_SNIPPET}`,
  })
  log(@Ctx() scope: RequestScope, @Root() delivery: SiteWebhookDelivery) {
    return deliveries.readAttempts(scope, delivery);
  }
}

@Resolver(() => SiteWebhookDeliveryUpdate)
export class SiteWebhookDeliveryUpdateResolver {
  @FieldResolver(() => WebhookAttempt, { description: NO_SNIPPET })
  attempt(@Ctx() scope: RequestScope, @Root() { attempt }: SiteWebhookDeliveryUpdate) {
    return deliveries.readAttempt(scope, attempt);
  }

  @FieldResolver(() => SiteWebhookDelivery, { description: 'The current state of the delivery.' })
  delivery(@Ctx() scope: RequestScope, @Root() { deliveryId }: SiteWebhookDeliveryUpdate) {
    return scope.load(Delivery, deliveryId);
  }
}
