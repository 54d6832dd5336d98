import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { Arg, Authorized, Ctx, Directive, FieldResolver, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { isSignedFor, refusalOf, ticketOf, useSignature } from '../../../platform/mail/index.ts';
import { refuseBeyond } from '../../../platform/rate-limit/index.ts';
import { type ReceivedMail, readMail } from '../../../platform/reading/index.ts';
import { ContentFault } from '../../../platform/reading/task.ts';
import { detached, type RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { storable, truncate } from '../../../schema/text.ts';
import { OutgoingMail } from '../mails/entity.ts';
import { modulesOf } from '../organizations/resolver.ts';
import { recordRequesterReply } from './changes.ts';
import { mailOf, TicketMessage } from './entity.ts';

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

/** The limit of a reply in the dashboard, too. */
const MAX_REPLY = 20_000;

type Outcome = { outcome: 'stored' | 'ignored'; reason?: string };
const ignored = (reason: string): Outcome => ({ outcome: 'ignored', reason });

/**
 * Record a mail as a message of each ticket whose signed address it was sent to. It counts as a reply of the requester only if it comes from
 * the address of the requester. Automatic mails are ignored, and a ticket stores the same Message-ID once. The gateway has authenticated the
 * provider.
 * @param signature a signature that does not cover the mail; it is accepted for one mail
 */
async function receiveMail(
  request: Pick<RequestScope, 'services'>,
  mail: ReceivedMail,
  signature: string | null,
): Promise<Outcome> {
  const { services } = request;
  if (!services.mail?.replyAddress) throw fail('UNAVAILABLE', 'Replies by mail are not set up.');
  if (signature !== null && !(await useSignature(services, signature, mail)))
    throw fail('FORBIDDEN', 'The signature was used for another mail.');
  const refusal = refusalOf(mail, services.mail);
  if (refusal) return ignored(refusal);
  const outcomes: Outcome[] = [];
  let read: Promise<string> | undefined;
  const textFor = (organizationId: string) => (read ??= replyIn(mail, organizationId));
  for (const ticket of await addressedTickets(request, mail.recipients))
    outcomes.push(await storeMail(request, mail, ticket, textFor));
  return (
    outcomes.find(({ outcome }) => outcome === 'stored') ?? outcomes[0] ?? ignored('No recipient is the reply address of a ticket.')
  );
}

/** @param textFor the text to store, which is read as work of an organization */
async function storeMail(
  { services }: Pick<RequestScope, 'services'>,
  { messageId, sender, senderName, text: whole }: ReceivedMail,
  ticket: Addressed,
  textFor: (organizationId: string) => Promise<string>,
): Promise<Outcome> {
  const scope = detached({ services, organizationId: ticket.organizationId });
  if (!(await modulesOf(scope)).includes('helpdesk')) return ignored('The organization has no tickets.');
  refuseBeyond(await services.chatLimits.visitor.count(`mail:${ticket.id}`), 'mails');
  const text = await textFor(ticket.organizationId);
  if (!text) return ignored('The mail has no text.');
  if (ticket.isErased) return ignored('The requester of the ticket was erased.');
  const id = createHash('sha256')
    .update(messageId ?? `${sender} ${whole}`)
    .digest('hex');
  const author = { id, sender: storable(sender), senderName: senderName && storable(senderName) };
  try {
    await recordRequesterReply(scope, ticket.id, text, author);
    return { outcome: 'stored' };
  } catch (error) {
    // The ticket was erased meanwhile. No repetition would change that.
    if (error instanceof GraphQLError && error.extensions.code === 'UNPROCESSABLE') return ignored(error.message);
    throw error;
  }
}

async function replyIn(mail: ReceivedMail, organizationId: string): Promise<string> {
  const reply = mail.hasQuotes ? await withoutQuotes(organizationId, mail.text) : mail.text;
  // A reply above or below a quote without a mark may look like a part of it.
  return truncate(reply.trim() || mail.text.trim(), MAX_REPLY);
}

/** The text without quotes. A text that takes too long to read stays whole: a repetition would take as long, and then be lost. */
const withoutQuotes = (owner: string, text: string): Promise<string> =>
  readMail(owner, 'cutReply', text).catch((error: unknown) => {
    if (error instanceof ContentFault && error.reason !== 'busy') return text;
    throw error;
  });

interface Addressed {
  id: string;
  organizationId: string;
  isErased: boolean;
}

/** The tickets of the recipients with a valid signature. The address alone selects the organization. */
async function addressedTickets({ services }: Pick<RequestScope, 'services'>, recipients: readonly string[]): Promise<Addressed[]> {
  const tags = recipients.flatMap((recipient) => ticketOf(recipient, services.mail!) ?? []);
  if (tags.length === 0) return [];
  const found = await query(
    services.orm.em.fork(),
    sql<Addressed>`select id, organization_id as "organizationId", erased_at is not null as "isErased" from agent.tickets
        where id = any(${tags.map(({ ticketId }) => ticketId)}::uuid[])`,
  );
  return found.filter(({ id, organizationId }) =>
    tags.some(({ ticketId, signature }) => ticketId === id && isSignedFor(services.secrets, organizationId, id, signature)),
  );
}
