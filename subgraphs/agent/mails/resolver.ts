import { Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { MailChannel } from './entity.ts';

@Resolver(() => MailChannel)
export class MailChannelResolver {
  @Authorized('member')
  @Query(() => MailChannel, { description: 'Whether mail is set up.' })
  mailChannel(@Ctx() { services: { mail } }: RequestScope): MailChannel {
    return { sends: mail !== undefined, receives: mail?.replyAddress !== undefined };
  }
}
