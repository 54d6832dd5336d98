import type { Pool } from 'pg';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { sweepAgents } from '../agents/removal.ts';
import { sweepApprovals } from '../approvals/service.ts';
import { settleDead } from '../chat/finish.ts';
import { sweepErasures } from '../erasure/service.ts';
import { sweepHandoffs } from '../handoff/service.ts';

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
    returning id, agent_id
  ), transcripts as (
    delete from mail.messages where record_id in (select id from removed)
  )
  select (select count(*)::int from removed) as removed, (select agent_id from removed order by agent_id desc limit 1) as "lastRemoved",
         (select count(*)::int from turn) as agents, (select id from turn order by id desc limit 1) as last`;

interface RemovedBatch {
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
    const { rows } = await pool.query<RemovedBatch>(REMOVAL, [place.agentId]);
    const { removed, lastRemoved, agents, last } = rows[0]!;
    isBacklog = removed === CONVERSATIONS;
    if (isBacklog) place.agentId = lastRemoved;
    else place.agentId = agents < AGENTS ? FIRST : last;
  }
}

const INTERVAL = 15_000;
const BATCH = 100;

const DEAD = `select id, organization_id as "organizationId" from agent.messages where status = 'running' and leased_until < now() limit ${BATCH}`;

/** Deletions of old rows, each bounded so that a large backlog never blocks other work for long. */
const deletions = [
  // Readers that are behind by an hour get the stored message instead.
  `delete from agent.reply_parts where ctid in (
     select p.ctid from agent.reply_parts p join agent.messages m on m.id = p.message_id and m.status <> 'running'
      where p.stored_at < now() - interval '1 hour'
        and not exists (select from agent.approvals a where a.message_id = m.id and a.status = 'pending') limit 10000)`,
  `delete from agent.daily_credits where day < now() - interval '30 days'`,
  `delete from agent.handoff_events where type = 'typing' and created_at < now() - interval '1 minute'`,
];

/**
 * End replies of killed processes and abandoned handoffs, finish deletions of agents and erasures of contacts, and delete expired conversations. Safe to run in several
 * processes at a time.
 */
export async function sweepConversations(services: Services, place = new ExpiryPlace()): Promise<void> {
  const { rows } = await services.pool.query<{ id: string; organizationId: string }>(DEAD);
  for (const reply of rows)
    await settleDead(services, reply).catch((error: unknown) =>
      log.warn({ err: error, replyId: reply.id }, 'Failed to end a reply of a killed process'),
    );
  await sweepHandoffs(services);
  await sweepAgents(services);
  await sweepErasures(services);
  await removeExpired(services.pool, place);
  for (const deletion of deletions) await services.pool.query(deletion);
}

/** Sweep regularly until the returned function is called. The receivers of approved calls do not delay the other work. */
export function startConversationSweep(services: Services): () => Promise<void> {
  const place = new ExpiryPlace();
  const stops = [
    repeat(() => sweepConversations(services, place), 'Failed to sweep conversations'),
    repeat(() => sweepApprovals(services), 'Failed to sweep approvals'),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/** Run work at once and then regularly, one run at a time. */
function repeat(work: () => Promise<void>, failure: string): () => Promise<void> {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= work()
      .catch((error: unknown) => log.warn({ err: error }, failure))
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(run, INTERVAL);
  run();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
