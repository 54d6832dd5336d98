import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import {
  type DeliveryApi,
  deliveriesOf,
  deliveryFields,
  deliveryOperations,
  WebhookSubscription,
} from '../../../platform/webhooks/index.ts';
import { isEditor } from '../content/access.ts';
import { DeletedContent, EDITORS } from '../content/entity.ts';
import * as webhooks from './service.ts';
import { requireEditorOf } from './service.ts';
import {
  NewSiteWebhook,
  SiteWebhook,
  SiteWebhookChange,
  SiteWebhookDeliveriesArguments,
  SiteWebhookDelivery,
  SiteWebhookDeliveryList,
  SiteWebhookDeliveryUpdate,
  SiteWebhookList,
  SiteWebhookSecret,
  SiteWebhooksArguments,
} from './types.ts';

const surface = 'site-content';
const deliveries = deliveriesOf(surface);

const api: DeliveryApi = {
  surface,
  name: 'siteWebhook',
  delivery: SiteWebhookDelivery,
  update: SiteWebhookDeliveryUpdate,
  test: { name: 'testSiteWebhook', description: 'Send a sample of the first event of a webhook.' },
  subscription: { argument: 'webhookId', noun: 'a webhook', ofDelivery: 'a webhook' },
  editors: {
    rule: EDITORS,
    require: requireEditorOf,
    async mayRead(scope, subscriptionId) {
      const webhook = await scope.load(WebhookSubscription, subscriptionId);
      return webhook !== null && isEditor(scope, webhook.aboutId!);
    },
  },
};

// The order of the resolvers is that of the fields in the emitted schema.
const fields = deliveryFields(api);

@Resolver()
class SiteWebhookDeliveriesResolver {
  @Authorized('member')
  @Query(() => SiteWebhookDeliveryList, {
    nullable: true,
    description:
      'The deliveries of a webhook in the last 30 days, newest first. The list reaches the newest 10,000; `to` reaches older ones.',
  })
  async siteWebhookDeliveries(
    @Ctx() scope: RequestScope,
    @Args(() => SiteWebhookDeliveriesArguments) { webhookId, page, perPage, ...filter }: SiteWebhookDeliveriesArguments,
  ) {
    const { nodes, pagination } = await deliveries.page(scope, webhookId, filter, { page, limit: perPage });
    const { total, totalPages } = pagination;
    return { nodes, meta: { page, perPage, total, totalPages } };
  }
}

export const siteWebhookDeliveryResolvers = [...fields, SiteWebhookDeliveriesResolver, ...deliveryOperations(api)] as const;

const requireEditorOfInput = async (scope: RequestScope, { input }: { input: NewSiteWebhook }) =>
  void (await webhooks.requireEditorOfWorkspace(scope, input.workspaceId));

@Access('member')
@Resolver()
export class SiteWebhookResolver {
  @Query(() => SiteWebhookList, { description: 'The webhooks of the workspaces of the organization, newest first.' })
  siteWebhooks(@Ctx() scope: RequestScope, @Args(() => SiteWebhooksArguments) { workspaceId, ...page }: SiteWebhooksArguments) {
    return webhooks.listWebhooks(scope, workspaceId, page);
  }

  @Query(() => SiteWebhook, { nullable: true, description: 'One webhook of a workspace.' })
  siteWebhook(@Ctx() scope: RequestScope, @Id() id: string) {
    return webhooks.findWebhook(scope, id);
  }

  @Idempotent({ prepares: true, authorize: requireEditorOfInput })
  @Mutation(() => SiteWebhook, { description: `Create a webhook. An organization can have up to 100. ${EDITORS}` })
  createSiteWebhook(@Ctx() scope: RequestScope, @Arg('input', () => NewSiteWebhook) input: NewSiteWebhook) {
    return webhooks.createWebhook(scope, input);
  }

  @Mutation(() => SiteWebhook, { description: `Change a webhook of a workspace. ${EDITORS}` })
  updateSiteWebhook(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => SiteWebhookChange) input: SiteWebhookChange) {
    return webhooks.updateWebhook(scope, id, input);
  }

  @Mutation(() => DeletedContent, { description: `Delete a webhook. Its pending deliveries are not sent. ${EDITORS}` })
  deleteSiteWebhook(@Ctx() scope: RequestScope, @Id() id: string) {
    return webhooks.deleteWebhook(scope, id);
  }

  @Query(() => SiteWebhookSecret, { nullable: true, description: `The signing secret of a webhook. ${EDITORS}` })
  siteWebhookSecret(@Ctx() scope: RequestScope, @Id() id: string) {
    return webhooks.readSecret(scope, id);
  }

  @Mutation(() => SiteWebhookSecret, {
    description: `Replace the signing secret of a webhook. Both secrets sign for 24 hours; a rotation during this time is a \`CONFLICT\`. ${EDITORS}`,
  })
  rotateSiteWebhookSecret(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('force', () => Boolean, { defaultValue: false, description: 'End the previous secret at once if it is still valid.' })
    force: boolean,
  ) {
    return webhooks.rotateSecret(scope, id, force);
  }
}
