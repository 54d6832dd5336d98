import {
  byteCountTriggers,
  jsonBytes,
  OF_ORGANIZATION,
  OWNED,
  rowCountTriggers,
  textBytes,
} from '../../../../platform/database/index.ts';

const NEWEST = '(coalesce(last_message_at, created_at)) desc, id desc';

/** Conversations of visitors with agents, and their messages. */
export const conversations = `
create table agent.conversations (
  ${OWNED},
  -- Checked before the charge of a new conversation. At the commit, it would wait for a deletion while it locks the organization.
  agent_id uuid not null references agent.agents on delete cascade deferrable initially immediate,
  contact_id uuid references agent.contacts on delete set null,
  visitor_id text not null, client_id text,
  channel text not null,
  status text not null,
  summary text, summarized_to integer not null default 0,
  -- The hosts whose personal data is in the conversation.
  personal_hosts text[] not null default '{}',
  message_count integer not null default 0,
  handoff_id uuid, handoff_status text, handoff_version integer not null default 0,
  -- The number of the last event of a handoff, and the positions that both sides have seen.
  event_sequence integer not null default 0,
  visitor_seen integer not null default 0, operator_seen integer not null default 0,
  visitor_typing_at timestamptz, operator_typing_at timestamptz,
  -- The member who takes care of it, and words of the team. Visitors and models see neither.
  assigned_to_user_id uuid, assigned_to_name text,
  tags text[] not null default '{}',
  created_at timestamptz not null default now(), last_message_at timestamptz
);
create unique index conversations_by_client on agent.conversations (agent_id, visitor_id, client_id);
-- The conversations by their newest message: of an agent, of the organization, in a state, or with a handoff.
create index conversations_newest on agent.conversations (agent_id, ${NEWEST});
create index conversations_of_organization on agent.conversations (organization_id, ${NEWEST});
create index conversations_by_status on agent.conversations (organization_id, status, ${NEWEST});
create index conversations_by_handoff on agent.conversations (organization_id, handoff_status, ${NEWEST}) where handoff_status is not null;
-- The conversations of a member, and those with a tag.
create index conversations_assigned on agent.conversations (organization_id, assigned_to_user_id, ${NEWEST}) where assigned_to_user_id is not null;
create index conversations_tags on agent.conversations using gin (organization_id, tags) where tags <> '{}';
-- The conversations of a contact, newest first.
create index conversations_of_contact on agent.conversations (contact_id, created_at desc, id desc) where contact_id is not null;
${rowCountTriggers({ table: 'agent.conversations', list: 'conversations', by: ['agent_id', 'status', 'channel', 'handoff_status'] })}
${byteCountTriggers({ table: 'agent.conversations', bytes: '500' })}

-- Deletes the tool calls and transcripts of a deleted conversation, because they contain what its visitor said.
create function agent.conversation_deleted() returns trigger language plpgsql as $$
begin
  delete from agent.tool_calls c using deleted d where c.conversation_id = d.id;
  delete from mail.messages m using deleted d where m.record_id = d.id;
  perform pg_notify('handoff_events', d.id::text) from deleted d where d.handoff_status is not null;
  perform pg_notify('handoff_queue', d.organization_id::text) from deleted d where d.handoff_status in ('waiting', 'active');
  return null;
end $$;
create trigger deleted after delete on agent.conversations referencing old table as deleted
  for each statement execute function agent.conversation_deleted();

-- The page on which a visitor wrote the newest message, as the page described it. As json, which keeps the order of keys.
create table agent.page_contexts (
  conversation_id uuid primary key references agent.conversations on delete cascade deferrable initially deferred,
  ${OF_ORGANIZATION},
  context json not null,
  updated_at timestamptz not null default now()
);
-- The foreign key.
create index page_contexts_organization on agent.page_contexts (organization_id);
${byteCountTriggers({ table: 'agent.page_contexts', bytes: `200 + ${textBytes('context::text')}`, refuses: false, updates: 'false' })}

create table agent.messages (
  ${OWNED},
  conversation_id uuid not null references agent.conversations on delete cascade deferrable initially deferred,
  position integer not null,
  role text not null, author_id uuid, author_name text,
  text text not null default '', parts jsonb not null default '[]',
  -- The tokens of the text, counted once, so that a reply reads its history without counting.
  tokens integer not null default 0,
  status text not null, error text,
  client_id text, request_id text,
  replaced boolean not null default false,
  unanswered boolean not null default false, unsupported jsonb not null default '[]',
  -- The state of the question of an unanswered reply.
  question_status text not null default 'open',
  credits numeric(16,4) not null default 0, model text, input_tokens integer not null default 0, output_tokens integer not null default 0,
  -- The version of the agent that wrote a reply.
  version integer,
  -- The agent of a reply to a visitor, once it has ended.
  agent_id uuid,
  -- The time until the first text and until the end, without the wait for approvals, and the sources that a reply cites.
  first_token_ms integer, duration_ms integer, cited uuid[] not null default '{}',
  -- The SKUs of the products that a reply is about.
  products text[] not null default '{}',
  -- The vector of the question, of 512 signed bytes, if sources were compared with it.
  question_vector bytea, embedding_model text,
  -- Whether a process other than the writing one reads along. Only such replies notify, because notifying commits run one by one.
  lease uuid, leased_until timestamptz, stop_requested boolean not null default false, watched boolean not null default false,
  rating text, rating_comment text, rated_at timestamptz,
  created_at timestamptz not null default now(), finished_at timestamptz,
  constraint messages_position unique (conversation_id, position)
);
-- A conversation has one running reply.
create unique index messages_running on agent.messages (conversation_id) where status = 'running';
-- The replies of lost processes.
create index messages_leases on agent.messages (leased_until) where status = 'running';
-- The reply to a repeated request.
create unique index messages_request on agent.messages (request_id) where request_id is not null;
-- Search in texts.
create index messages_text on agent.messages using gin (organization_id, (lower(text)) gin_trgm_ops);
-- The questions without an answer, newest first.
create index messages_unanswered on agent.messages (organization_id, question_status, created_at desc, id desc) where unanswered;
-- The replies of an agent to visitors: all, those that answer nothing, those with a rating, and those that cite a source.
create index messages_of_agent on agent.messages (agent_id, created_at) include (version, conversation_id) where agent_id is not null;
create index messages_unanswered_of_agent on agent.messages (agent_id, created_at) where unanswered and agent_id is not null;
create index messages_rated_of_agent on agent.messages (agent_id, rating, created_at) where rating is not null;
create index messages_citing on agent.messages using gin (cited) where cited <> '{}';
-- The conversations with rated replies.
create index messages_rated on agent.messages (organization_id, rating, conversation_id) where rating is not null;
-- A reply counts when it ends, with one update of a counter. Its end is never refused.
${byteCountTriggers({
  table: 'agent.messages',
  bytes: `case when r.status = 'running' then 0 else 400 + ${textBytes('text')} + ${jsonBytes('parts')} + coalesce(octet_length(r.question_vector), 0) end`,
  updates: 'false',
})}

-- Notes of the team. They are no messages, so that neither visitors nor models read them.
create table agent.conversation_notes (
  ${OWNED},
  conversation_id uuid not null references agent.conversations on delete cascade deferrable initially deferred,
  kind text not null default 'note',
  author_id uuid not null, author_name text not null,
  text text not null,
  created_at timestamptz not null default now()
);
-- The notes of a conversation, oldest first.
create index conversation_notes_oldest on agent.conversation_notes (conversation_id, created_at, id);
-- The foreign key.
create index conversation_notes_organization on agent.conversation_notes (organization_id);
${byteCountTriggers({ table: 'agent.conversation_notes', bytes: `200 + ${textBytes('text')}`, refuses: `r.kind = 'note'` })}

-- Nobody has the conversations of a member who left, and each says whose it was. The quota must not refuse that.
create function agent.member_left() returns trigger language plpgsql as $$
begin
  if not exists (select from identity.organizations where id = old.organization_id) then return null; end if;
  with held as (
    select id, assigned_to_name from agent.conversations
     where organization_id = old.organization_id and assigned_to_user_id = old.user_id order by id for update),
  freed as (
    update agent.conversations c set assigned_to_user_id = null, assigned_to_name = null from held where c.id = held.id)
  insert into agent.conversation_notes (id, organization_id, conversation_id, kind, author_id, author_name, text)
  select gen_random_uuid(), old.organization_id, id, 'left', old.user_id, coalesce(assigned_to_name, ''), '' from held;
  if found then perform pg_notify('handoff_queue', old.organization_id::text); end if;
  return null;
end $$;
create trigger member_left after delete on identity.memberships for each row execute function agent.member_left();

-- Texts that operators insert into their replies.
create table agent.canned_replies (
  ${OWNED},
  name text not null, text text not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  constraint canned_replies_name unique (organization_id, name)
);
${byteCountTriggers({ table: 'agent.canned_replies', bytes: `200 + ${textBytes('name', 'text')}`, updates: 'true' })}

-- The parts of a running reply, which other processes read.
create table agent.reply_parts (
  message_id uuid not null references agent.messages on delete cascade,
  first integer not null,
  parts jsonb not null,
  stored_at timestamptz not null default now(),
  primary key (message_id, first)
);
-- The sweep.
create index reply_parts_age on agent.reply_parts (stored_at);
`;

/** The approvals of tool calls. Each lets exactly one request be sent, once. */
export const approvals = `
create table agent.approvals (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  conversation_id uuid not null references agent.conversations on delete cascade deferrable initially deferred,
  message_id uuid not null, tool_call_id text not null,
  -- The visitor of the conversation when the approval was requested.
  visitor_id text not null,
  tool_id uuid not null, tool_name varchar(64) not null,
  party text not null, reason text not null,
  -- As text, because the request is made of them again: jsonb would change the order of keys.
  text text not null, input json not null, identity json,
  -- The request as the approving person may see it, and the hash of the one that is sent.
  request jsonb not null, request_hash text not null,
  -- Whether the reply shows the requests of tools that write instead of sending them.
  preview boolean not null default false,
  status text not null,
  created_at timestamptz not null default now(), expires_at timestamptz not null,
  decided_at timestamptz, decided_by uuid, decided_by_name text,
  sent_at timestamptz, finished_at timestamptz,
  response_status integer, result jsonb, error text,
  constraint approvals_call unique (message_id, tool_call_id)
);
-- The approvals of a conversation, newest first.
create index approvals_of_conversation on agent.approvals (conversation_id, created_at desc, id desc);
-- The approvals of the organization, newest first, and those that wait for an operator.
create index approvals_newest on agent.approvals (organization_id, created_at desc, id desc);
create index approvals_waiting on agent.approvals (organization_id, created_at, id) where status = 'pending' and party = 'operator';
-- The limit of a visitor.
create index approvals_of_visitor on agent.approvals (agent_id, visitor_id, created_at);
-- The sweeps: of those that expire, and of approved requests whose process was killed.
create index approvals_expiring on agent.approvals (expires_at) where status = 'pending';
create index approvals_unfinished on agent.approvals (decided_at) where status in ('approved', 'sending');
${byteCountTriggers({
  table: 'agent.approvals',
  bytes: `600 + ${textBytes('text')} + octet_length(r.input::text) + ${jsonBytes('request')}`,
  refuses: false,
})}
`;

/** Handoffs to people, and the numbered events that both sides follow. */
export const handoffs = `
create table agent.handoffs (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  conversation_id uuid not null references agent.conversations on delete cascade deferrable initially deferred,
  status text not null,
  requested_by text not null, reason text,
  operator_id uuid, operator_name text,
  -- The version that wrote the last reply before it, or the reply that asked for it.
  version integer,
  -- The next opening, when it was asked for outside of the office hours.
  away_until timestamptz,
  created_at timestamptz not null default now(), taken_at timestamptz, ended_at timestamptz, ended_by text
);
-- A conversation has one open handoff.
create unique index handoffs_open on agent.handoffs (conversation_id) where status in ('waiting', 'active');
-- The queue, oldest first, and the list, newest first.
create index handoffs_queue on agent.handoffs (organization_id, created_at, id) where status in ('waiting', 'active');
create index handoffs_newest on agent.handoffs (organization_id, created_at desc, id desc);
-- The foreign key.
create index handoffs_conversation on agent.handoffs (conversation_id);
-- The handoffs of an agent by day.
create index handoffs_agent on agent.handoffs (agent_id, created_at);
${rowCountTriggers({ table: 'agent.handoffs', list: 'handoffs', by: ['agent_id', 'status'] })}

create table agent.handoff_events (
  conversation_id uuid not null references agent.conversations on delete cascade,
  sequence integer not null,
  type text not null, status text not null, party text not null,
  operator_name text, message_id uuid, seen_to integer,
  created_at timestamptz not null default now(),
  primary key (conversation_id, sequence)
);
-- The sweep of typing, which has no lasting value.
create index handoff_events_typing on agent.handoff_events (created_at) where type = 'typing';
`;
