import { createTransport } from 'nodemailer';
import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { escapeMarkup, truncate } from '../../schema/text.ts';
import { increment, type Notifications, QueueWorker } from '../queues/index.ts';
import type { Secrets } from '../secrets/index.ts';
import { log } from '../telemetry/index.ts';
import { domainOf } from './inbound.ts';
import { LINK, linkName, MAIL_CHANNEL, type MailSettings } from './outgoing.ts';

export interface Mailer {
  /** Stop, and wait for the mails in progress up to a time limit. */
  close(): Promise<void>;
}

interface ClaimedMail {
  id: string;
  /** Proves that the mail is still leased by the claim that returned it. */
  lease: string;
  organizationId: string;
  recordId: string;
  recipient: string;
  senderName: string;
  replyTo: string | null;
  subject: string;
  text: string;
  link: Buffer | null;
  attempts: number;
  losses: number;
}

/** Concurrent mails of this process, each on an SMTP connection. */
const WIDTH = 4;
const RENEWAL_MS = 15_000;
const LEASE = `interval '60 seconds'`;
/** Leases without a result after which a mail fails. Such a mail may have arrived several times, with the same Message-ID. */
const MAX_LOSSES = 5;
/** Seconds between two attempts. */
const DELAYS = [60, 5 * 60, 30 * 60, 2 * 60 * 60, 6 * 60 * 60];
const TIMEOUT_MS = 30_000;
/** Shorter than the shutdown timeout of the process. */
const GRACE_MS = 8_000;
const DUE = `next_attempt_at <= now() and (leased_until is null or leased_until < now())`;

/** Finds the organizations by index skip scan, and takes one mail of each in turn. $1 lease, $2 maximum mails. */
const CLAIM = `
  with recursive waiting (id) as (
    (select organization_id from mail.messages where next_attempt_at is not null order by organization_id limit 1)
    union all
    select (select m.organization_id from mail.messages m where m.next_attempt_at is not null and m.organization_id > w.id
             order by m.organization_id limit 1) from waiting w where w.id is not null),
  due as (
    select d.id, d.next_attempt_at, row_number() over (partition by w.id order by d.next_attempt_at) as turn
      from waiting w cross join lateral (
        select id, next_attempt_at from mail.messages where organization_id = w.id and ${DUE} order by next_attempt_at limit $2) d),
  locked as (
    select id, leased_by is not null as repeated from mail.messages
     where id in (select id from due order by turn, next_attempt_at, id limit $2) and ${DUE} for update skip locked)
  update mail.messages m set leased_by = $1, leased_until = now() + ${LEASE}, losses = case when l.repeated then ${increment('m.losses')} else m.losses end
    from locked l where m.id = l.id
  returning m.id, m.leased_by as lease, m.organization_id as "organizationId", m.record_id as "recordId", m.recipient,
            m.sender_name as "senderName", m.reply_to as "replyTo", m.subject, m.text, m.link, m.attempts, m.losses`;

const RENEW = `
  update mail.messages m set leased_until = now() + ${LEASE}
    from unnest($1::uuid[], $2::uuid[]) as a (id, lease) where m.id = a.id and m.leased_by = a.lease`;

/** Mails that this process gives up count no loss, and another process sends them at once. */
const RELEASE = `
  update mail.messages m set leased_by = null, leased_until = null
    from unnest($1::uuid[], $2::uuid[]) as a (id, lease) where m.id = a.id and m.leased_by = a.lease`;

/** Logs the attempt and ends the lease, unless another process has taken the mail. $6 seconds to the next attempt; null if none follows. */
const COMPLETE = `
  with done as (
    update mail.messages set attempts = attempts + 1, leased_by = null, leased_until = null, last_error = $4,
           next_attempt_at = now() + $6 * interval '1 second', sent_at = case when $4::text is null then now() end,
           status = case when $4::text is null then 'sent' when $6::int is null then 'failed' else 'pending' end,
           link = case when $6::int is null then null else link end
     where id = $1 and leased_by = $2 returning id, organization_id, attempts)
  insert into mail.attempts (id, organization_id, message_id, number, response, error, duration_ms)
  select $7, organization_id, id, attempts, $3, $4, $5 from done`;

interface MailerServices {
  pool: Pool;
  notifications: Notifications;
  secrets: Secrets;
}

/**
 * Send mails as they become due, until `close`. A mail is sent once for each lease. If a process is killed before it records the result,
 * another one sends the mail again with the same Message-ID.
 */
export function startMailer({ pool, notifications, secrets }: MailerServices, settings: MailSettings): Mailer {
  const transport = createTransport({
    url: settings.smtpUrl,
    pool: true,
    maxConnections: WIDTH,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = domainOf(settings.from);
  const messageId = (id: string) => `<${id}@${domain}>`;

  async function send({ id, organizationId, recordId, recipient, senderName, replyTo, subject, text, link }: ClaimedMail) {
    const opened = link ? secrets.open(link, linkName(organizationId, id)) : '';
    const whole = link ? text.replaceAll(LINK, () => opened) : text;
    const sent = await transport.sendMail({
      messageId: messageId(id),
      // Mail clients show mails about one record together.
      references: messageId(recordId),
      // As objects, because the parser of texts finds several addresses in one.
      from: { name: senderName, address: settings.from },
      to: { name: '', address: recipient },
      ...(replyTo && { replyTo: { name: senderName, address: replyTo } }),
      subject,
      text: whole,
      html: htmlOf(whole),
      // Asks other systems for no automatic reply.
      headers: { 'X-Auto-Response-Suppress': 'All' },
    });
    return sent.response;
  }

  const sending = new Set<ClaimedMail>();
  let isAbandoned = false;
  const leasesOf = (mails: readonly ClaimedMail[]) => [mails.map(({ id }) => id), mails.map(({ lease }) => lease)];
  const queue = new QueueWorker<ClaimedMail>({
    name: 'outgoing mail',
    width: WIDTH,
    interval: RENEWAL_MS,
    channel: MAIL_CHANNEL,
    notifications,
    claim: async (free) => (await pool.query<ClaimedMail>({ name: 'claim mails', text: CLAIM, values: [uuid(), free] })).rows,
    renew: (active) => pool.query(RENEW, leasesOf(active)),
    async work(mail) {
      const started = performance.now();
      sending.add(mail);
      const { response, error, wait } = await attempt(mail, send).finally(() => sending.delete(mail));
      // This process closed the connection itself, so the result says nothing about the mail server.
      if (isAbandoned) return;
      const duration = Math.round(performance.now() - started);
      await pool.query(COMPLETE, [mail.id, mail.lease, response, error, duration, wait, uuid()]);
    },
  });

  return {
    async close() {
      await queue.close(GRACE_MS);
      isAbandoned = true;
      // If this fails, the leases expire.
      if (sending.size > 0)
        await pool
          .query(RELEASE, leasesOf([...sending]))
          .catch((err: unknown) => log.warn({ err }, 'Failed to release the leases of mails'));
      transport.close();
    },
  };
}

interface Outcome {
  response: string | null;
  error: string | null;
  /** Seconds to the next attempt; null if none follows. */
  wait: number | null;
}

async function attempt(mail: ClaimedMail, send: (mail: ClaimedMail) => Promise<string>): Promise<Outcome> {
  if (mail.losses >= MAX_LOSSES)
    return { response: null, error: `The attempt was interrupted ${MAX_LOSSES} times before its result was recorded.`, wait: null };
  try {
    return { response: truncate(await send(mail), MAX_RESPONSE), error: null, wait: null };
  } catch (error) {
    const { code, responseCode = 0, response = '', message } = error as Error & SmtpFailure;
    log.warn({ err: error, mail: mail.id }, 'Failed to send a mail');
    // The server has rejected this recipient or this mail. Other failures concern the server, so the mail waits.
    const isFinal = responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
    return {
      response: truncate(response, MAX_RESPONSE) || null,
      // The text of a network error may name internal hosts.
      error: responseCode > 0 ? truncate(message, MAX_RESPONSE) : 'The mail server cannot be reached.',
      wait: isFinal ? null : (DELAYS[mail.attempts] ?? null),
    };
  }
}

interface SmtpFailure {
  code?: string;
  responseCode?: number;
  response?: string;
}

const MAX_RESPONSE = 500;

/** Plain HTML of a text: paragraphs and line breaks. All markup in it is escaped. */
function htmlOf(text: string): string {
  const paragraphs = escapeMarkup(text)
    .split(/\n{2,}/)
    .map((each) => `<p>${each.replaceAll('\n', '<br>')}</p>`);
  return `<!doctype html><html><body>${paragraphs.join('')}</body></html>`;
}
