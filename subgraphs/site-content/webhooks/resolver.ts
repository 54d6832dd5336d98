import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { EDITORS } from '../content/descriptions.ts';
import { DeletedContent } from '../content/types.ts';
import * as webhooks from './service.ts';
import {
  NewSiteWebhook,
  SiteWebhook,
  SiteWebhookChange,
  SiteWebhookList,
  SiteWebhookSecret,
  SiteWebhooksArguments,
} from './types.ts';

const requireEditorOfInput = async (scope: RequestScope, { input }: { input: NewSiteWebhook }) =>
  void (await webhooks.requireEditorOfWorkspace(scope, input.workspaceId));

@Resolver()
export class SiteWebhookResolver {
  @Authorized('member')
  @Query(() => SiteWebhookList, { description: 'The webhooks of the workspaces of the organization, newest first.' })
  siteWebhooks(@Ctx() scope: RequestScope, @Args(() => SiteWebhooksArguments) { workspaceId, ...page }: SiteWebhooksArguments) {
    return webhooks.listWebhooks(scope, workspaceId, page);
  }

  @Authorized('member')
  @Query(() => SiteWebhook, { description: 'One webhook of a workspace.' })
  siteWebhook(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return webhooks.findWebhook(scope, id);
  }

  @Authorized('member')
  @Idempotent({ prepares: true, authorize: requireEditorOfInput })
  @Mutation(() => SiteWebhook, { description: `Create a webhook. An organization can have up to 100. ${EDITORS}` })
  createSiteWebhook(@Ctx() scope: RequestScope, @Arg('input', () => NewSiteWebhook) input: NewSiteWebhook) {
    return webhooks.createWebhook(scope, input);
  }

  @Authorized('member')
  @Mutation(() => SiteWebhook, { description: `Change a webhook of a workspace. ${EDITORS}` })
  updateSiteWebhook(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SiteWebhookChange) input: SiteWebhookChange,
  ) {
    return webhooks.updateWebhook(scope, id, input);
  }

  @Authorized('member')
  @Mutation(() => DeletedContent, { description: `Delete a webhook. Its pending deliveries are not sent. ${EDITORS}` })
  deleteSiteWebhook(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return webhooks.deleteWebhook(scope, id);
  }

  @Authorized('member')
  @Query(() => SiteWebhookSecret, { description: `The signing secret of a webhook. ${EDITORS}` })
  siteWebhookSecret(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return webhooks.readSecret(scope, id);
  }

  @Authorized('member')
  @Mutation(() => SiteWebhookSecret, {
    description: `Replace the signing secret of a webhook. Both secrets sign for 24 hours; a rotation during this time is a \`CONFLICT\`. ${EDITORS}`,
  })
  rotateSiteWebhookSecret(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('force', () => Boolean, { defaultValue: false, description: 'End the previous secret at once if it is still valid.' })
    force: boolean,
  ) {
    return webhooks.rotateSecret(scope, id, force);
  }
}
