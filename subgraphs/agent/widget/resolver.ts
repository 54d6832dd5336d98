import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../common/scope.ts';
import * as widget from './service.ts';
import { mintHandoffToken, mintVoiceToken } from './tokens.ts';
import { HandoffToken, VoiceToken, WidgetConfig } from './types.ts';

@Resolver()
export class WidgetResolver {
  @Authorized('public')
  @Query(() => WidgetConfig, { description: 'The configuration of an embedded widget.' })
  widgetConfig(@Ctx() scope: RequestScope, @Arg('publicSlug', () => String) publicSlug: string) {
    return widget.readConfig(scope, publicSlug);
  }

  @Authorized('public')
  @Mutation(() => VoiceToken, { description: 'Mint a token for a voice session. Voice must be enabled for the agent.' })
  mintVoiceToken(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Arg('visitorId', () => String, { nullable: true, description: 'The visitor id of an earlier reply.' }) visitorId?:
      | string
      | null,
  ) {
    return mintVoiceToken(scope, publicSlug, visitorId);
  }

  @Authorized('public')
  @Query(() => HandoffToken, {
    description: 'Mint a token for the messages of people in a conversation. Needs the module `helpdesk`.',
  })
  handoffToken(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Arg('visitorId', () => String, { nullable: true, description: 'The visitor id of an earlier reply.' }) visitorId?:
      | string
      | null,
    @Arg('conversationId', () => ID, { nullable: true, description: 'Default: the newest conversation of the visitor.' })
    conversationId?: string | null,
  ) {
    return mintHandoffToken(scope, publicSlug, visitorId, conversationId);
  }
}
