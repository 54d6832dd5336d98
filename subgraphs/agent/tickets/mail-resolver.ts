import { Arg, Authorized, Ctx, Directive, FieldResolver, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import { field, output } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { OutgoingMail } from '../mails/entity.ts';
import { TicketMessage } from './entity.ts';
import { mailOf } from './mails.ts';
import { receiveMail } from './received-mails.ts';

@ObjectType()
@Directive('@inaccessible')
class MailReceipt extends output({
  outcome: field(String, '`stored` or `ignored`.'),
  reason: field(String, { optional: true }),
}) {}

@Resolver(() => TicketMessage)
export class TicketMailResolver {
  @FieldResolver(() => OutgoingMail, { nullable: true, description: 'The mail of a reply; null if none was sent.' })
  mail(@Ctx() scope: RequestScope, @Root() message: TicketMessage) {
    return mailOf(scope, message);
  }

  /** The gateway calls it for the inbound webhooks of mail providers. Not part of the public API. */
  @Authorized('public')
  @Directive('@inaccessible')
  @Mutation(() => MailReceipt)
  receiveMail(
    @Ctx() scope: RequestScope,
    @Arg('messageId', () => String, { nullable: true }) messageId: string | null,
    @Arg('sender', () => String) sender: string,
    @Arg('senderName', () => String, { nullable: true }) senderName: string | null,
    @Arg('recipients', () => [String]) recipients: string[],
    @Arg('text', () => String) text: string,
    @Arg('hasQuotes', () => Boolean) hasQuotes: boolean,
    @Arg('marks', () => [String], { description: 'Headers as `name: value`.' }) marks: string[],
    @Arg('signature', () => String, { nullable: true, description: 'Used for one mail.' }) signature: string | null = null,
  ) {
    const pairs = marks.map((mark) => ({ name: mark.split(':', 1)[0]!, value: mark.slice(mark.indexOf(':') + 1) }));
    return receiveMail(scope, { messageId, sender, senderName, recipients, text, hasQuotes, marks: pairs }, signature);
  }
}
