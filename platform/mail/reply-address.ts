import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../secrets/index.ts';
import { domainOf, localOf } from './inbound.ts';
import type { MailSettings } from './outgoing.ts';

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
