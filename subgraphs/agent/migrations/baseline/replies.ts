/** The functions that begin a reply, and refund one, in one statement. */
export const replies = (): string[] => [charge, refund, newReply, addReply, beginReply];

const charge = `
-- Charge the organization and, with a limit, the daily budget of the agent. False, and nothing charged, when either is used up.
create function agent.charge(entry uuid, organization uuid, agent uuid, daily_limit numeric, price numeric, why text, what text, enforce boolean)
returns boolean language plpgsql as $$
declare today date := (now() at time zone 'utc')::date;
begin
  if daily_limit is not null then
    insert into agent.daily_credits as d (agent_id, day, credits) select agent, today, price where price <= daily_limit
    on conflict (agent_id, day) do update set credits = d.credits + excluded.credits where d.credits + excluded.credits <= daily_limit;
    if not found then return false; end if;
  end if;
  -- Last, because it locks the row of the organization.
  if identity.move_credits(entry, organization, -price, why, what, enforce) then return true; end if;
  if daily_limit is not null then
    update agent.daily_credits set credits = credits - price where agent_id = agent and day = today;
  end if;
  return false;
end $$;
`;

const refund = `
-- Refund a failed reply, to the daily budget of a day if there is one.
create function agent.refund(entry uuid, organization uuid, agent uuid, budget_day date, price numeric, reply uuid)
returns boolean language plpgsql as $$
begin
  if budget_day is not null then
    update agent.daily_credits set credits = credits - price where agent_id = agent and day = budget_day;
  end if;
  -- Last, as in a charge.
  return identity.move_credits(entry, organization, price, 'refund of a failed reply', 'reply-refund:' || reply, false);
end $$;
`;

const newReply = `
-- A question, the reply that is to be written, and its charge. Without the id of a question, a stored one is answered again.
create type agent.new_reply as (
  organization uuid, agent uuid, visitor text, channel text,
  -- The conversation by its id or by the id of the client, and the id of a new one.
  conversation uuid, chat_id text, new_conversation uuid,
  question_id uuid, question text, client_id text, tokens integer,
  reply_id uuid, request_id text, lease uuid,
  entry uuid, price numeric, daily_limit numeric, enforce boolean
);
create type agent.begun_reply as (id uuid, conversation uuid, is_new boolean, is_paid boolean);
`;

const addReply = `
-- Add a question and its running reply to a locked conversation that ends at a position.
create function agent.add_reply(in_conversation uuid, last_position integer, r agent.new_reply, until timestamptz)
returns void language plpgsql as $$
declare
  added integer := case when r.question_id is null then 1 else 2 end;
begin
  insert into agent.messages (id, organization_id, conversation_id, position, role, status, text, parts, tokens, client_id, finished_at,
                              request_id, credits, lease, leased_until)
  select r.question_id, r.organization, in_conversation, last_position + 1, 'user', 'complete', r.question,
         jsonb_build_array(jsonb_build_object('type', 'text', 'text', r.question)), r.tokens, r.client_id, now(), null, 0, null, null
   where r.question_id is not null
  union all
  select r.reply_id, r.organization, in_conversation, last_position + added, 'assistant', 'running', '', '[]', 0, null, null,
         r.request_id, r.price, r.lease, until;
  -- A visitor who writes something else instead does not approve.
  if last_position > 0 then
    update agent.approvals set status = 'withdrawn', decided_at = now()
     where conversation_id = in_conversation and status = 'pending' and party = 'visitor';
  end if;
  update agent.conversations set message_count = last_position + added, last_message_at = now(), status = 'open' where id = in_conversation;
end $$;

-- Whether a reply was paid. It locks the rows of the budget and of the organization, so that nothing else is locked after it.
create function agent.charge_reply(r agent.new_reply) returns boolean language plpgsql as $$
begin
  if agent.charge(r.entry, r.organization, r.agent, r.daily_limit, r.price, 'chat reply', 'reply:' || r.reply_id, r.enforce) then
    return true;
  end if;
  update agent.messages set credits = 0 where id = r.reply_id;
  return false;
end $$;
`;

const beginReply = `
-- Add a reply to a conversation that is new, or that nothing special happens in. Null, and no change, otherwise: for an unknown
-- conversation, one that another transaction has locked, an open handoff, a running reply, a question that was sent before, and a beginning
-- that is reported to somebody.
create function agent.begin_reply(r agent.new_reply, until timestamptz) returns agent.begun_reply language plpgsql as $$
declare
  c agent.conversations;
  is_new boolean;
begin
  if r.conversation is null then
    if r.channel = 'widget' and webhooks.is_subscribed(r.organization, 'conversation.started', r.agent)
      and not exists (select from agent.conversations where agent_id = r.agent and visitor_id = r.visitor and client_id = r.chat_id)
    then return null; end if;
    insert into agent.conversations as new_one (id, organization_id, agent_id, visitor_id, client_id, channel, status)
    select r.new_conversation, a.organization_id, a.id, r.visitor, r.chat_id, r.channel, 'open' from agent.agents a
     where a.id = r.agent and a.organization_id = r.organization and a.deleted_at is null for key share
    on conflict (agent_id, visitor_id, client_id) do nothing returning new_one.* into c;
  end if;
  is_new := c.id is not null;
  if not is_new then
    select * into c from agent.conversations
     where id = coalesce(r.conversation, (select id from agent.conversations
                                           where agent_id = r.agent and visitor_id = r.visitor and client_id = r.chat_id))
       and agent_id = r.agent and visitor_id = r.visitor and channel = r.channel for update skip locked;
    if not found or c.handoff_status in ('waiting', 'active')
      or exists (select from agent.messages m where m.conversation_id = c.id and m.status = 'running')
      or exists (select from (select m.client_id, m.text from agent.messages m where m.conversation_id = c.id and m.role = 'user'
                               and not m.replaced order by m.position desc limit 1) latest
                  where latest.client_id = r.client_id and latest.text = r.question)
    then return null; end if;
  end if;
  perform agent.add_reply(c.id, c.message_count, r, until);
  return row(r.reply_id, c.id, is_new, null::boolean);
end $$;

-- Begin replies of one agent that came at the same time. The charges come last and all in one statement, because the rows of the budget and
-- of the organization are locked from the first charge until the end, and all chats of the organization wait for them. Those with a daily
-- budget are first, so that each statement locks the row of the budget before that of the organization.
create function agent.begin_replies(given json, until timestamptz) returns setof agent.begun_reply language plpgsql as $$
declare
  replies agent.new_reply[] := array(select r from json_populate_recordset(null::agent.new_reply, given) r);
  begun agent.begun_reply[] := '{}';
  b agent.begun_reply;
  at integer;
begin
  for at in 1 .. cardinality(replies) loop
    begun[at] := agent.begin_reply(replies[at], until);
  end loop;
  for at in select i from generate_subscripts(replies, 1) i order by (replies[i]).daily_limit is null, i loop
    b := begun[at];
    if b.id is not null then
      b.is_paid := agent.charge_reply(replies[at]);
      return next b;
    end if;
  end loop;
end $$;
`;
