import type { Pool } from 'pg';

/** Agents and conversations of one statement. */
const [AGENTS, CONVERSATIONS] = [1_000, 100];
/** Milliseconds for which a sweep continues with a backlog. */
const BUDGET = 5_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** The locks keep a conversation in which a message arrives meanwhile, because that extends its time. */
const REMOVAL = `
  with turn as materialized (
    select id, retention_days from agent.agents where retention_days is not null and id > $1 order by id limit ${AGENTS}
  ), removed as (
    delete from agent.conversations where id in (
      select c.id from turn a
       cross join lateral (select id from agent.conversations
                            where agent_id = a.id and coalesce(last_message_at, created_at) < now() - make_interval(days => a.retention_days)
                            order by coalesce(last_message_at, created_at) limit ${CONVERSATIONS} for update skip locked) c
       limit ${CONVERSATIONS})
    returning agent_id
  )
  select (select count(*)::int from removed) as removed, (select agent_id from removed order by agent_id desc limit 1) as "lastRemoved",
         (select count(*)::int from turn) as agents, (select id from turn order by id desc limit 1) as last`;

interface Turn {
  removed: number;
  lastRemoved: string;
  agents: number;
  last: string;
}

/** The agent after which the next sweep continues. A sweep of all agents would take too long where there are many. */
export class ExpiryPlace {
  agentId = FIRST;
}

/** Delete conversations that are older than the retention of their agent. */
export async function removeExpired(pool: Pool, place: ExpiryPlace): Promise<void> {
  const end = performance.now() + BUDGET;
  for (let isBacklog = true; isBacklog && performance.now() < end; ) {
    const { rows } = await pool.query<Turn>(REMOVAL, [place.agentId]);
    const { removed, lastRemoved, agents, last } = rows[0]!;
    isBacklog = removed === CONVERSATIONS;
    if (isBacklog) place.agentId = lastRemoved;
    else place.agentId = agents < AGENTS ? FIRST : last;
  }
}
