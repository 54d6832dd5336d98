import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { query, sql } from '../database/index.ts';
import type { ReceivedMail } from '../reading/index.ts';
import type { Secrets } from '../secrets/index.ts';
import type { Services } from '../subgraph/index.ts';
import type { MailSettings } from './outgoing.ts';

/** The parts of an address in lower case. Providers and servers may change the case. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();
const localOf = (address: string): string => address.slice(0, Math.max(0, address.lastIndexOf('@'))).toLowerCase();

/**
 * Why a mail is no reply of a person: another system wrote it (RFC 3834), or this one. Such a mail would answer mails without end. Undefined
 * for mails of people.
 */
export function refusalOf(
  { messageId, sender, marks }: Pick<ReceivedMail, 'messageId' | 'sender' | 'marks'>,
  { from, replyAddress }: { from: string; replyAddress?: string },
): string | undefined {
  const has = (name: string, pattern: RegExp) => marks.some((each) => each.name === name && pattern.test(each.value.trim()));
  if (has('auto-submitted', /^(?!no\b)\S/i)) return 'The mail was sent automatically.';
  if (has('precedence', /^(?:bulk|junk|list|auto_reply)\b/i)) return 'The mail was sent in bulk.';
  if (has('list-id', /\S/)) return 'The mail comes from a mailing list.';
  if (has('x-autoreply', /\S/) || has('x-autorespond', /\S/) || has('x-failed-recipients', /\S/) || has('return-path', /^<>$/))
    return 'The mail was sent automatically.';
  const [address, domain] = [sender.toLowerCase(), domainOf(sender)];
  if (address === from.toLowerCase()) return 'The mail comes from this service.';
  if (replyAddress && domain === domainOf(replyAddress) && localOf(sender).split('+', 1)[0] === localOf(replyAddress))
    return 'The mail comes from this service.';
  if (messageId && OWN_ID.test(messageId) && domainOf(messageId.slice(0, -1)) === domainOf(from))
    return 'The mail comes from this service.';
  return undefined;
}

/**
 * Use the signature of a provider for a mail. Returns false if it was used for another one. A provider that got no answer sends the same
 * mail again. Committed before the mail is stored, so that a killed process leaves a signature that only this mail can use.
 */
export async function useSignature({ orm }: Pick<Services, 'orm'>, signature: string, mail: ReceivedMail): Promise<boolean> {
  const { messageId, sender, senderName, recipients, text, marks } = mail;
  const [named, content] = [signature, JSON.stringify([messageId, sender, senderName, recipients, text, marks])].map((each) =>
    createHash('sha256').update(each).digest(),
  );
  const em = orm.em.fork();
  await query(
    em,
    sql`insert into mail.used_signatures (signature, mail) values (${named}, ${content}) on conflict (signature) do nothing`,
  );
  const used = await query(em, sql`select 1 from mail.used_signatures where signature = ${named} and mail = ${content}`);
  return used.length > 0;
}

/** The form of the Message-ID of outgoing mails. */
const OWN_ID = /^<[0-9a-f]{8}-[0-9a-f-]{27}@[^>]+>$/i;

const PURPOSE = 'mail replies';
/** Hexadecimal digits of the signature: 80 bits. With the id and a short name, the local part stays below its limit of 64 characters. */
const DIGITS = 20;
const TAG = new RegExp(`^([0-9a-f]{32})([0-9a-f]{${DIGITS}})$`);

/** The address for replies to the mails of a ticket, or null if no replies are received. Nobody can guess that of another ticket. */
export function replyAddressOf(
  { mail, secrets }: { mail?: MailSettings; secrets: Secrets },
  organizationId: string,
  ticketId: string,
): string | null {
  if (!mail?.replyAddress) return null;
  const tag = ticketId.replaceAll('-', '') + signature(secrets.tokenKey(PURPOSE), organizationId, ticketId);
  return `${localOf(mail.replyAddress)}+${tag}@${domainOf(mail.replyAddress)}`;
}

/** The ticket that a reply address names. The caller reads its organization, and then checks the signature. */
export function ticketOf(address: string, { replyAddress }: MailSettings): { ticketId: string; signature: string } | undefined {
  if (!replyAddress || domainOf(address) !== domainOf(replyAddress)) return undefined;
  const prefix = `${localOf(replyAddress)}+`;
  const local = localOf(address);
  const [, id, mark] = (local.startsWith(prefix) && TAG.exec(local.slice(prefix.length))) || [];
  if (!id || !mark) return undefined;
  return { ticketId: id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), signature: mark };
}

/** Whether one of the keys has signed the address for this ticket of this organization. */
export const isSignedFor = (secrets: Secrets, organizationId: string, ticketId: string, given: string): boolean =>
  secrets
    .tokenKeys(PURPOSE)
    .some((key) => timingSafeEqual(Buffer.from(signature(key, organizationId, ticketId)), Buffer.from(given)));

const signature = (key: Uint8Array, organizationId: string, ticketId: string): string =>
  createHmac('sha256', key).update(`${organizationId} ${ticketId}`).digest('hex').slice(0, DIGITS);
