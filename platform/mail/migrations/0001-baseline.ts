import { Migration } from '@mikro-orm/migrations';
import { byteCountTriggers, OWNED, textBytes } from '../../database/index.ts';

/** Outgoing mail, and the attempts to send it. */
export class MailBaseline extends Migration {
  override up(): void {
    this.addSql(`create schema mail; ${messages} ${attempts} ${counts} ${received}`);
  }
}

const messages = `
create table mail.messages (
  ${OWNED},
  kind text not null,
  -- The record that the mail is about, and the part of it that the mail sends, once.
  record_id uuid not null, source_id uuid not null,
  recipient varchar(320) not null,
  sender_name text not null, reply_to varchar(320),
  subject text not null, text text not null,
  -- A sealed link, which replaces a placeholder of the text when the mail is sent. It is deleted afterwards.
  link bytea,
  status text not null, last_error text,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  leased_by uuid, leased_until timestamptz,
  -- The leases that expired without a result.
  losses integer not null default 0,
  created_at timestamptz not null default now(), sent_at timestamptz
);
create unique index messages_source on mail.messages (source_id);
-- The claim of mails that are due, in turns of the organizations.
create index messages_open on mail.messages (organization_id, next_attempt_at) where next_attempt_at is not null;
-- The foreign key.
create index messages_organization on mail.messages (organization_id);
-- The retention of ended mails.
create index messages_age on mail.messages (created_at) where next_attempt_at is null;
-- The erasure of a record.
create index messages_record on mail.messages (record_id);
${byteCountTriggers({ table: 'mail.messages', bytes: `500 + ${textBytes('text')}` })}
`;

const attempts = `
create table mail.attempts (
  ${OWNED},
  message_id uuid not null references mail.messages on delete cascade,
  number integer not null,
  -- The response of the SMTP server, or why there is none.
  response text, error text,
  duration_ms integer not null,
  at timestamptz not null default now()
);
-- The attempts of a mail.
create index attempts_message on mail.attempts (message_id, at);
-- The foreign key.
create index attempts_organization on mail.attempts (organization_id);
`;

const counts = `
-- The mails of each hour, for the limits of a day. They outlive the mails, because a deletion must not make room for more.
create table mail.counts (
  organization_id uuid not null references identity.organizations on delete cascade,
  hour timestamptz not null,
  -- A hash of the recipient; 0 for replies, which have no limit of their own.
  recipient bigint not null,
  mails integer not null,
  primary key (organization_id, hour, recipient)
);
-- The sweep of past hours.
create index counts_hour on mail.counts (hour);

-- The mails that each user caused in an hour, in all organizations together.
create table mail.user_counts (
  user_id uuid not null references identity.users on delete cascade,
  hour timestamptz not null,
  mails integer not null,
  primary key (user_id, hour)
);
create index user_counts_hour on mail.user_counts (hour);
`;

const received = `
-- The signatures of providers that were used, each for one mail. They belong to no organization.
create table mail.used_signatures (
  signature bytea primary key,
  -- A hash of the mail, which the provider may send again with the same signature.
  mail bytea not null,
  used_at timestamptz not null default now()
);
create index used_signatures_age on mail.used_signatures (used_at);
`;
