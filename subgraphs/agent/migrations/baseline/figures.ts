/**
 * The figures of agents: sums by day and version, which a reply changes at the end of the transaction that stores it. They outlive the
 * conversations, and contain nothing that a visitor wrote.
 */
export const figures = `
create table agent.reply_figures (
  organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  day date not null,
  -- 0 for replies without a version.
  version integer not null,
  questions integer not null default 0, answered integer not null default 0, unanswered integer not null default 0, failed integer not null default 0,
  handoffs integer not null default 0, rated_up integer not null default 0, rated_down integer not null default 0,
  credits numeric(16,4) not null default 0, input_tokens bigint not null default 0, output_tokens bigint not null default 0,
  primary key (agent_id, day, version)
);
-- The rows of a deleted organization.
create index reply_figures_of_organization on agent.reply_figures (organization_id);

-- How many replies had a time, in milliseconds rounded to two digits, or cited a source.
create table agent.reply_counts (
  organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  day date not null, version integer not null,
  kind text not null, key text not null,
  count integer not null,
  primary key (agent_id, kind, day, version, key)
);
create index reply_counts_of_organization on agent.reply_counts (organization_id);

create function agent.two_digits(n integer) returns integer language sql immutable as $$
  select case when n < 100 then n else round(n, 1 - floor(log(n))::int)::int end
$$;

-- Whether a call of a reply waits for an approval, or has waited in vain.
create function agent.is_waiting(parts jsonb) returns boolean language sql immutable as $$
  select parts @> '[{"state": "approval-requested"}]'
$$;

-- Adds a reply to the sums, or takes it away again. Only replies to visitors that have ended have an agent and count.
create function agent.count_reply(r agent.messages, n integer) returns void language plpgsql as $$
declare
  asked_on date := (r.created_at at time zone 'utc')::date;
  by_version integer := coalesce(r.version, 0);
begin
  if r.agent_id is null or r.status = 'running' then return; end if;
  insert into agent.reply_figures as f (organization_id, agent_id, day, version, questions, answered, unanswered, failed, rated_up, rated_down,
                                        credits, input_tokens, output_tokens)
  values (r.organization_id, r.agent_id, asked_on, by_version, n,
          n * (r.status = 'complete' and r.model is not null and not r.unanswered and not agent.is_waiting(r.parts))::int, n * r.unanswered::int,
          -- No model wrote the reply of an agent without credits.
          n * (r.status = 'failed' or (r.status = 'complete' and r.model is null))::int,
          n * (r.rating is not distinct from 'up')::int, n * (r.rating is not distinct from 'down')::int,
          n * r.credits, n * r.input_tokens, n * r.output_tokens)
  on conflict (agent_id, day, version) do update set
    questions = f.questions + excluded.questions, answered = f.answered + excluded.answered,
    unanswered = f.unanswered + excluded.unanswered, failed = f.failed + excluded.failed,
    rated_up = f.rated_up + excluded.rated_up, rated_down = f.rated_down + excluded.rated_down, credits = f.credits + excluded.credits,
    input_tokens = f.input_tokens + excluded.input_tokens, output_tokens = f.output_tokens + excluded.output_tokens;
  insert into agent.reply_counts as f (organization_id, agent_id, day, version, kind, key, count)
  select r.organization_id, r.agent_id, asked_on, by_version, c.kind, c.key, n from (
    select 'first token' as kind, agent.two_digits(r.first_token_ms)::text as key where r.first_token_ms is not null
    union all select 'end', agent.two_digits(r.duration_ms)::text where r.duration_ms is not null
    union all select 'source', source::text from unnest(r.cited) source) c
   -- All transactions lock the rows in this order.
   order by c.kind, c.key
  on conflict (agent_id, kind, day, version, key) do update set count = f.count + excluded.count;
end $$;

create function agent.reply_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then perform agent.count_reply(old, -1); end if;
  perform agent.count_reply(new, 1);
  return null;
end $$;
-- At the commit, so that nothing else is locked while other replies wait for the row of the day.
create constraint trigger counted_added after insert on agent.messages deferrable initially deferred
  for each row when (new.agent_id is not null and new.status <> 'running') execute function agent.reply_counted();
create constraint trigger counted_changed after update on agent.messages deferrable initially deferred
  for each row when (new.agent_id is not null and (old.status <> new.status or old.rating is distinct from new.rating
                                                 or agent.is_waiting(old.parts) <> agent.is_waiting(new.parts)))
  execute function agent.reply_counted();

-- A person or a visitor who begins a handoff judges the last reply.
create function agent.handoff_version() returns trigger language plpgsql as $$
begin
  new.version := (select m.version from agent.messages m where m.conversation_id = new.conversation_id and m.role = 'assistant'
                     and m.status <> 'running' order by m.position desc limit 1);
  return new;
end $$;
create trigger version before insert on agent.handoffs for each row when (new.version is null) execute function agent.handoff_version();
create function agent.handoff_counted() returns trigger language plpgsql as $$
begin
  insert into agent.reply_figures as f (organization_id, agent_id, day, version, handoffs)
  select new.organization_id, a.id, (new.created_at at time zone 'utc')::date, coalesce(new.version, 0), 1
    from agent.agents a where a.id = new.agent_id
  on conflict (agent_id, day, version) do update set handoffs = f.handoffs + 1;
  return null;
end $$;
create constraint trigger counted after insert on agent.handoffs deferrable initially deferred
  for each row execute function agent.handoff_counted();
`;
