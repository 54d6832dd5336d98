import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import type { EnumValue } from '../../schema/enums.ts';
import { truncate } from '../../schema/text.ts';
import { afterCommit, deleteOld, query, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';

/** The SMTP server of the operator, and the addresses of all mails. */
export interface MailSettings {
  smtpUrl: string;
  /** Sender of all mails. Its name is that of the organization. */
  from: string;
  /** Address to which signed tags are added for replies. Without it, replies go to `from`. */
  replyAddress?: string;
}

export const MAIL_CHANNEL = 'outgoing_mail';
/** Stands for the link in the text of a mail. */
export const LINK = '{link}';
/** Mails of one organization within 24 hours. The operator's address must not become a source of spam. */
const DAILY_LIMIT = 1_000;
/** Mails that one user causes within 24 hours, in all organizations together: a user may own 20. */
const USER_LIMIT = 2_000;
/** Transcripts and invitations of one organization to one address within 24 hours. */
const RECIPIENT_LIMIT = 10;
const [MAX_SUBJECT, MAX_TEXT] = [255, 256 * 1024];

export interface NewMail {
  kind: 'ticket_reply' | 'transcript' | 'invitation';
  /** The record that the mail is about; `dropMailsOf` finds it by this id. */
  recordId: string;
  /** The part of the record that is sent, once. */
  sourceId: string;
  recipient: string;
  /** The member who causes the mail. */
  userId: string;
  subject: string;
  text: string;
  replyTo?: string | null;
  /** A link that only the recipient may know. It replaces `{link}` in the text. */
  link?: string;
}

/** The name under which the link of a mail is sealed. */
export const linkName = (organizationId: string, id: string) => ({ organizationId, name: `mail/${id}` });

/**
 * Store a mail in the transaction of its record. Does nothing without an SMTP server, or when the part was mailed already. Beyond the limits
 * of a day, the mail is stored as failed, so that the record itself is never refused. Returns whether the mail will be sent.
 */
export async function enqueueMail(
  { em, organizationId, services }: Scope,
  { kind, recordId, sourceId, recipient, userId, subject, text, replyTo = null, link }: NewMail,
): Promise<boolean> {
  const { mail, secrets, pool } = services;
  if (!mail) return false;
  const id = uuid();
  const sealed = link === undefined ? null : secrets.seal(link, linkName(organizationId, id));
  const counted = kind === 'ticket_reply' ? sql`0::bigint` : sql`hashtextextended(lower(${recipient}), 0)`;
  const stored = await query(
    em,
    sql<{ status: string }>`
        with used as (
          select case when (select sum(mails) from mail.user_counts where user_id = ${userId} and hour > now() - interval '1 day') >= ${USER_LIMIT}
                        then ${`The user has sent ${USER_LIMIT} mails within 24 hours.`}
                      when sum(mails) >= ${DAILY_LIMIT} then ${`The organization has sent ${DAILY_LIMIT} mails within 24 hours.`}
                      when sum(mails) filter (where recipient = ${counted} and recipient <> 0) >= ${RECIPIENT_LIMIT}
                        then ${`${RECIPIENT_LIMIT} such mails were sent to the address within 24 hours.`} end as refusal
            from mail.counts where organization_id = ${organizationId} and hour > now() - interval '1 day'),
        added as (
        insert into mail.messages (id, organization_id, kind, record_id, source_id, recipient, sender_name, reply_to, subject, text, link,
                                   status, last_error, next_attempt_at)
        select ${id}, o.id, ${kind}, ${recordId}, ${sourceId}, ${recipient}, o.name, ${replyTo}, ${oneLine(subject)},
               ${truncate(text, MAX_TEXT)}, ${sealed}::bytea, case when refusal is null then 'pending' else 'failed' end,
               refusal, case when refusal is null then now() end
          from identity.organizations o, used where o.id = ${organizationId}
        on conflict (source_id) do nothing returning status),
        counted as (
        insert into mail.counts as c (organization_id, hour, recipient, mails)
        select ${organizationId}, date_trunc('hour', now()), ${counted}, 1 from added where status = 'pending'
        on conflict (organization_id, hour, recipient) do update set mails = c.mails + 1),
        counted_of_user as (
        insert into mail.user_counts as c (user_id, hour, mails)
        select ${userId}, date_trunc('hour', now()), 1 from added where status = 'pending'
        on conflict (user_id, hour) do update set mails = c.mails + 1)
        select status from added`,
  );
  if (stored[0]?.status !== 'pending') return false;
  // The mailer polls every few seconds, so a lost notification only delays the mail.
  afterCommit(() => void pool.query(`select pg_notify('${MAIL_CHANNEL}', '')`).catch(() => {}));
  return true;
}

const oneLine = (text: string) => truncate(text.replace(/\s+/g, ' ').trim(), MAX_SUBJECT);

export interface MailState {
  sourceId: string;
  recipient: string;
  status: EnumValue<'MailStatus'>;
  /** Why the latest attempt failed. */
  lastError: string | null;
  sentAt: Date | null;
}

/** The mails of these parts of records, by the id of the part. */
export async function mailsOf({ em, organizationId }: Scope, sourceIds: readonly string[]): Promise<Map<string, MailState>> {
  const found = await query(
    em,
    sql<MailState>`select source_id as "sourceId", recipient, status, last_error as "lastError", sent_at as "sentAt"
        from mail.messages where source_id = any(${sourceIds}::uuid[]) and organization_id = ${organizationId}`,
  );
  return new Map(found.map((mail) => [mail.sourceId, { ...mail, sentAt: mail.sentAt && new Date(mail.sentAt) }]));
}

/** Delete the mails of records that are erased, in their transaction. A mail that is being sent at the moment may still arrive. */
export async function dropMailsOf({ em, organizationId }: Scope, recordIds: readonly string[]): Promise<void> {
  await query(
    em,
    sql`delete from mail.messages where record_id = any(${recordIds}::uuid[]) and organization_id = ${organizationId}`,
  );
}

const FORGET = `
  delete from mail.messages where id in (
    select id from mail.messages where next_attempt_at is null and created_at < now() - $1 * interval '1 day' order by created_at
     limit $2 for update skip locked)`;

const FORGET_COUNTS = `
  delete from mail.counts where ctid in (
    select ctid from mail.counts where hour < now() - $1 * interval '1 day' order by hour limit $2 for update skip locked)`;

const FORGET_USER_COUNTS = FORGET_COUNTS.replaceAll('mail.counts', 'mail.user_counts');

const FORGET_SIGNATURES = `
  delete from mail.used_signatures where signature in (
    select signature from mail.used_signatures where used_at < now() - $1 * interval '1 day' order by used_at limit $2 for update skip locked)`;

/** Delete ended mails after 30 days, counts after two, and used signatures after one, when they are too old to be accepted. */
export async function sweepMails(pool: Pool): Promise<number> {
  await deleteOld(pool, FORGET_COUNTS, 2);
  await deleteOld(pool, FORGET_USER_COUNTS, 2);
  await deleteOld(pool, FORGET_SIGNATURES, 1);
  return deleteOld(pool, FORGET, 30);
}
