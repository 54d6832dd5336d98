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
  organization uuid, agent uuid,
  question_id uuid, question text, client_id text, tokens integer,
  reply_id uuid, request_id text, lease uuid, leased_until timestamptz,
  entry uuid, price numeric, daily_limit numeric, enforce boolean
);
`;

const addReply = `
-- Add a question and its running reply to a locked conversation that ends at a position, and charge the reply. Whether it was paid.
create function agent.add_reply(conversation uuid, last_position integer, r agent.new_reply) returns boolean language plpgsql as $$
declare
  added integer := case when r.question_id is null then 1 else 2 end;
begin
  insert into agent.messages (id, organization_id, conversation_id, position, role, status, text, parts, tokens, client_id, finished_at,
                              request_id, credits, lease, leased_until)
  select r.question_id, r.organization, conversation, last_position + 1, 'user', 'complete', r.question,
         jsonb_build_array(jsonb_build_object('type', 'text', 'text', r.question)), r.tokens, r.client_id, now(), null, 0, null, null
   where r.question_id is not null
  union all
  select r.reply_id, r.organization, conversation, last_position + added, 'assistant', 'running', '', '[]', 0, null, null,
         r.request_id, r.price, r.lease, r.leased_until;
  -- A visitor who writes something else instead does not approve.
  if last_position > 0 then
    update agent.approvals set status = 'withdrawn', decided_at = now()
     where conversation_id = conversation and status = 'pending' and party = 'visitor';
  end if;
  update agent.conversations set message_count = last_position + added, last_message_at = now(), status = 'open' where id = conversation;
  if agent.charge(r.entry, r.organization, r.agent, r.daily_limit, r.price, 'chat reply', 'reply:' || r.reply_id, r.enforce) then
    return true;
  end if;
  update agent.messages set credits = 0 where id = r.reply_id;
  return false;
end $$;
`;

const beginReply = `
-- Begin a reply in a conversation that is new, or that nothing special happens in. No row, and no change, otherwise: for an unknown
-- conversation, an open handoff, a running reply, a question that was sent before, and a beginning that is reported to somebody. All is one statement, because the rows of the
-- organization and of the budget are locked until its end, and all chats of the organization wait for them.
create function agent.begin_reply(named uuid, chosen uuid, chat_id text, visitor text, in_channel text, r agent.new_reply)
returns table (begun_in uuid, is_new boolean, is_paid boolean) language plpgsql as $$
declare c agent.conversations;
begin
  if named is null then
    if in_channel = 'widget' and webhooks.is_subscribed(r.organization, 'conversation.started', r.agent)
      and not exists (select from agent.conversations where agent_id = r.agent and visitor_id = visitor and client_id = chat_id)
    then return; end if;
    insert into agent.conversations as new_one (id, organization_id, agent_id, visitor_id, client_id, channel, status)
    select chosen, a.organization_id, a.id, visitor, chat_id, in_channel, 'open' from agent.agents a
     where a.id = r.agent and a.organization_id = r.organization and a.deleted_at is null for key share
    on conflict (agent_id, visitor_id, client_id) do nothing returning new_one.* into c;
  end if;
  is_new := c.id is not null;
  if not is_new then
    select * into c from agent.conversations
     where id = coalesce(named, (select id from agent.conversations where agent_id = r.agent and visitor_id = visitor and client_id = chat_id))
       and agent_id = r.agent and visitor_id = visitor and channel = in_channel for update;
    if not found or c.handoff_status in ('waiting', 'active')
      or exists (select from agent.messages m where m.conversation_id = c.id and m.status = 'running')
      or exists (select from (select m.client_id, m.text from agent.messages m where m.conversation_id = c.id and m.role = 'user'
                               and not m.replaced order by m.position desc limit 1) latest
                  where latest.client_id = r.client_id and latest.text = r.question)
    then return; end if;
  end if;
  begun_in := c.id;
  is_paid := agent.add_reply(c.id, c.message_count, r);
  return next;
end $$;
`;
