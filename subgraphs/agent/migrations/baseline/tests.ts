import { byteCountTriggers, jsonBytes, listBytes, OWNED, textBytes } from '../../../../platform/database/index.ts';

/** Test sets of agents, their cases, and their runs. */
export const tests = `
create table agent.test_sets (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  name varchar(255) not null,
  revision integer not null default 1,
  nightly boolean not null, next_run_at timestamptz,
  -- The share of its cases that publishing requires; null if the set is no gate.
  required_share double precision,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  constraint test_sets_name unique (agent_id, name)
);
-- The foreign key.
create index test_sets_by_organization on agent.test_sets (organization_id);
-- An agent has one gate.
create unique index test_sets_gate on agent.test_sets (agent_id) where required_share is not null;
-- The nightly runs.
create index test_sets_due on agent.test_sets (next_run_at) where next_run_at is not null;
-- Those that are deleted with their agent are not recorded.
create trigger audit after insert or update or delete on agent.test_sets for each row when (pg_trigger_depth() = 0)
  execute function identity.audit('test_set', 'id', 'organization_id', 'updated_at', 'revision', 'next_run_at');

create table agent.test_cases (
  ${OWNED},
  test_set_id uuid not null references agent.test_sets on delete cascade deferrable initially deferred,
  name varchar(255) not null,
  messages text[] not null, customer jsonb, identity jsonb, checks jsonb not null, recordings jsonb not null, expectation text,
  -- The reply that it was made from, and the contact of then, by which an erasure finds it.
  origin text not null, message_id uuid, contact_id uuid,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now()
);
-- The cases of a set, in the order of their creation.
create index test_cases_of_set on agent.test_cases (test_set_id, created_at, id);
-- The foreign key.
create index test_cases_by_organization on agent.test_cases (organization_id);
-- The erasure of a contact.
create index test_cases_of_reply on agent.test_cases (message_id) where message_id is not null;
create index test_cases_of_contact on agent.test_cases (contact_id) where contact_id is not null;
${byteCountTriggers({
  table: 'agent.test_cases',
  bytes: `400 + ${textBytes('expectation')} + ${listBytes('messages')} + ${jsonBytes('customer', 'identity', 'checks', 'recordings')}`,
  updates: 'true',
})}

-- Changes and deletions make tests weaker. Cases that are deleted with their set are not recorded.
create trigger audit after update or delete on agent.test_cases for each row when (pg_trigger_depth() = 0)
  execute function identity.audit('test_case', 'id', 'organization_id', 'updated_at');

create table agent.test_runs (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  test_set_id uuid not null references agent.test_sets on delete cascade deferrable initially deferred,
  test_set_name text not null, revision integer not null,
  target text not null, trigger text not null, author_name text,
  status text not null, error text,
  repeats integer not null, credit_limit numeric(16,4), credits numeric(16,4) not null default 0,
  version integer not null,
  -- The content of the draft while the run is open, and the hash by which a publication finds the run.
  draft_id uuid, draft_content jsonb, draft_hash text,
  published_content jsonb,
  case_count integer not null, total integer not null, finished integer not null default 0,
  draft jsonb, published jsonb, regressions integer, share double precision,
  sequence integer not null default 1,
  created_at timestamptz not null default now(), started_at timestamptz, finished_at timestamptz
);
-- A set has one open run.
create unique index test_runs_open on agent.test_runs (test_set_id) where status in ('pending', 'processing');
-- The runs of a set and of an agent, newest first.
create index test_runs_of_set on agent.test_runs (test_set_id, created_at desc, id desc);
create index test_runs_of_agent on agent.test_runs (agent_id, created_at desc, id desc);
-- The runs that failed in the night, newest first.
create index test_runs_nightly on agent.test_runs (organization_id, created_at desc, id desc) where trigger = 'schedule';
-- The foreign key.
create index test_runs_by_organization on agent.test_runs (organization_id);
-- The reconciler.
create index test_runs_unfinished on agent.test_runs (id) where status in ('pending', 'processing');
-- Without its contents, which go when it ends.
${byteCountTriggers({ table: 'agent.test_runs', bytes: '1000' })}
-- Its subscribers read the row.
create function agent.test_run_changed() returns trigger language plpgsql as $$
begin perform pg_notify('test_runs', new.id::text); return null; end $$;
create trigger changed after insert or update on agent.test_runs for each row execute function agent.test_run_changed();

-- The cases of a run, as they were when it was started.
create table agent.test_run_cases (
  ${OWNED},
  run_id uuid not null references agent.test_runs on delete cascade deferrable initially deferred,
  case_id uuid not null, message_id uuid, contact_id uuid, position integer not null,
  name varchar(255) not null,
  messages text[] not null, customer jsonb, identity jsonb, checks jsonb not null, recordings jsonb not null, expectation text,
  -- The most messages of the visitor, by which a repeat is charged.
  max_messages integer generated always as (coalesce((customer ->> 'maxMessages')::integer, cardinality(messages))) stored,
  draft text, published text, regressed boolean not null default false,
  constraint test_run_cases_position unique (run_id, position)
);
-- The foreign key.
create index test_run_cases_by_organization on agent.test_run_cases (organization_id);
-- The erasure of a contact. The case can have been deleted before.
create index test_run_cases_of_reply on agent.test_run_cases (message_id) where message_id is not null;
create index test_run_cases_of_contact on agent.test_run_cases (contact_id) where contact_id is not null;
${byteCountTriggers({
  table: 'agent.test_run_cases',
  bytes: `400 + ${textBytes('expectation')} + ${listBytes('messages')} + ${jsonBytes('customer', 'identity', 'checks', 'recordings')}`,
})}

create table agent.test_results (
  ${OWNED},
  run_id uuid not null references agent.test_runs on delete cascade deferrable initially deferred,
  run_case_id uuid not null references agent.test_run_cases on delete cascade deferrable initially deferred,
  target text not null, repeat integer not null, turn integer not null,
  status text not null, error text,
  turns jsonb not null default '[]', checks jsonb not null default '[]', judgment jsonb,
  credits numeric(16,4) not null default 0, model text, input_tokens integer not null default 0, output_tokens integer not null default 0,
  finished_at timestamptz,
  constraint test_results_repeat unique (run_case_id, target, repeat)
);
-- The work of a run, in its order.
create unique index test_results_turn on agent.test_results (run_id, turn);
-- The foreign key.
create index test_results_by_organization on agent.test_results (organization_id);
${byteCountTriggers({
  table: 'agent.test_results',
  bytes: `200 + ${textBytes('error')} + ${jsonBytes('turns', 'checks', 'judgment')}`,
  updates: 'false',
})}

-- Identifies the content of an agent.
create function agent.content_hash(agent uuid) returns text language sql stable as $$
  select encode(sha256(convert_to(agent.content_of(agent)::text, 'UTF8')), 'hex')
$$;

-- Why a content must not be published for an agent; null if it may be.
create function agent.publish_refusal(agent uuid, hash text) returns text language plpgsql stable as $$
declare
  gate agent.test_sets;
  run agent.test_runs;
  names text;
begin
  select * into gate from agent.test_sets s where s.agent_id = agent and s.required_share is not null;
  if not found then return null; end if;
  select * into run from agent.test_runs r
   where r.test_set_id = gate.id and r.status = 'completed' and r.draft_hash = hash
   -- With fewer repeats, a flaky case passes by chance.
   order by r.repeats >= 3 desc, r.created_at desc, r.id desc limit 1;
  if not found then return format('The test set "%s" has not run with exactly this content. Run it with the draft first.', gate.name); end if;
  if run.repeats < 3 then
    return format('The test set "%s" has run with fewer than 3 repeats of each case. Run it again with 3 or more.', gate.name);
  end if;
  if run.revision <> gate.revision then
    return format('The test set "%s" has changed since its last run with this content. Run it again.', gate.name);
  end if;
  -- An agent with a gate always equals its newest version before the change that is checked.
  if not exists (
    select from agent.agent_versions live join agent.agent_versions tested on tested.agent_id = agent and tested.content = live.content
     where live.agent_id = agent and live.number = (select max(v.number) from agent.agent_versions v where v.agent_id = agent)
       and tested.number = run.version) then
    return format('The published version has changed since the last run of "%s" with this content. Run it again.', gate.name);
  end if;
  if exists (
    select from agent.test_runs r join agent.test_results t on t.run_id = r.id and t.target = 'draft' and t.status = 'failed'
     where r.test_set_id = gate.id and r.draft_hash = hash and r.revision = gate.revision and (r.created_at, r.id) > (run.created_at, run.id)) then
    return format('A newer run of "%s" with this content has failed results. Run it again, to its end.', gate.name);
  end if;
  if run.regressions > 0 then
    select string_agg(c.name, ', ' order by c.position) into names
      from (select name, position from agent.test_run_cases where run_id = run.id and regressed order by position limit 5) c;
    return format('%s of the cases of "%s" passed with the published version and fail now: %s', run.regressions, gate.name, names);
  end if;
  select string_agg(c.name, ', ' order by c.position) into names
    from (select name, position from agent.test_run_cases where run_id = run.id
             and id in (select run_case_id from agent.test_results where run_id = run.id group by run_case_id, target having bool_and(status = 'error'))
           order by position limit 5) c;
  if names is not null then
    return format('Some cases of "%s" had only errors. Run it again: %s', gate.name, names);
  end if;
  if run.share < gate.required_share then
    return format('%s %% of the cases of "%s" pass, and %s %% must.', floor(1000 * run.share) / 10, gate.name, round((100 * gate.required_share)::numeric, 1));
  end if;
  return null;
end $$;

-- A direct change of an agent, which visitors see at once, is a publication too. At its end, when the whole change is made.
create function agent.check_publication() returns trigger language plpgsql as $$
declare
  current agent.agents;
  refusal text;
begin
  select * into current from agent.agents where id = new.id and deleted_at is null and draft_of is null;
  -- A version means that the publication of a draft was checked.
  if not found or current.live_version is not null
    or not exists (select from agent.test_sets s where s.agent_id = new.id and s.required_share is not null) then return null; end if;
  -- A change that changes nothing publishes nothing.
  update agent.agents a set live_version = v.number from agent.agent_versions v
   where a.id = new.id and v.agent_id = a.id and v.content = agent.content_of(a.id)
     and v.number = (select max(n.number) from agent.agent_versions n where n.agent_id = a.id);
  if found then return null; end if;
  refusal := agent.publish_refusal(new.id, agent.content_hash(new.id));
  if refusal is not null then raise exception using errcode = 'QP001', message = 'Not published: ' || refusal; end if;
  perform agent.add_version(gen_random_uuid(), new.id, '', true, null, null);
  return null;
end $$;
create constraint trigger publication after update on agent.agents deferrable initially deferred
  for each row when (new.live_version is null and new.draft_of is null
                     and (old.live_version is not null or agent.settings_of(new) is distinct from agent.settings_of(old)))
  execute function agent.check_publication();
`;
