import { Authorized, Ctx, ObjectType, Query, Resolver } from 'type-graphql';
import { field, output } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { languageOf } from '../language.ts';

@ObjectType({ description: 'A mail that was sent or is about to be sent.' })
export class OutgoingMail extends output({
  recipient: field(String, 'The address.'),
  status: field(enumTypes.MailStatus),
  lastError: field(String, { nullable: true, description: 'Why the latest attempt failed; null if it succeeded.' }),
  sentAt: field(Date, { nullable: true, description: 'When the mail server accepted it.' }),
}) {}

@ObjectType({ description: 'The parts of mail that the operator of the service has set up.' })
class MailChannel extends output({
  sends: field(Boolean, 'Whether replies to tickets, transcripts and invitations are mailed.'),
  receives: field(Boolean, 'Whether replies to the mails of a ticket become messages of the ticket.'),
}) {}

/** The words that mails add to the texts of the team and the agent. */
const words = {
  en: {
    you: 'You',
    canReply: 'You can reply to this mail.',
    conversationWith: (agent: string) => `Your conversation with ${agent}`,
  },
  de: {
    you: 'Sie',
    canReply: 'Sie können auf diese Mail antworten.',
    conversationWith: (agent: string) => `Ihr Gespräch mit ${agent}`,
  },
};

/** The words in the language of the texts; in English if that is neither English nor German. */
export const wordsFor = (...texts: string[]) => words[languageOf(texts.join('\n')) === 'de' ? 'de' : 'en'];

@Resolver(() => MailChannel)
export class MailChannelResolver {
  @Authorized('member')
  @Query(() => MailChannel, { description: 'Whether mail is set up.' })
  mailChannel(@Ctx() { services: { mail } }: RequestScope): MailChannel {
    return { sends: mail !== undefined, receives: mail?.replyAddress !== undefined };
  }
}
