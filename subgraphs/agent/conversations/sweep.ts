import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { sweepAgents } from '../agents/removal.ts';
import { settleDead } from '../chat/settle.ts';
import { sweepErasures } from '../erasure/service.ts';
import { endIdleHandoffs } from '../handoff/idle.ts';
import { ExpiryPlace, removeExpired } from './expiry.ts';

const INTERVAL = 15_000;
const BATCH = 100;

const DEAD = `select id, organization_id as "organizationId" from agent.messages where status = 'running' and leased_until < now() limit ${BATCH}`;

/** Deletions of old rows, each bounded so that a large backlog never blocks other work for long. */
const deletions = [
  // Readers that are behind by an hour get the stored message instead.
  `delete from agent.reply_parts where ctid in (
     select p.ctid from agent.reply_parts p join agent.messages m on m.id = p.message_id and m.status <> 'running'
      where p.stored_at < now() - interval '1 hour' limit 10000)`,
  `delete from agent.daily_credits where day < now() - interval '30 days'`,
  `delete from agent.handoff_events where type = 'typing' and created_at < now() - interval '1 minute'`,
];

/**
 * End replies of killed processes and idle handoffs, finish deletions of agents and erasures of contacts, and delete expired conversations. Safe to run in several
 * processes at a time.
 */
export async function sweepConversations(services: Services, place = new ExpiryPlace()): Promise<void> {
  const { rows } = await services.pool.query<{ id: string; organizationId: string }>(DEAD);
  for (const reply of rows)
    await settleDead(services, reply).catch((error: unknown) =>
      log.warn({ err: error, replyId: reply.id }, 'Failed to end a reply of a killed process'),
    );
  await endIdleHandoffs(services);
  await sweepAgents(services);
  await sweepErasures(services);
  await removeExpired(services.pool, place);
  for (const deletion of deletions) await services.pool.query(deletion);
}

/** Sweep regularly until the returned function is called. */
export function startConversationSweep(services: Services): () => Promise<void> {
  let running: Promise<void> | undefined;
  const place = new ExpiryPlace();
  const sweep = () => {
    running ??= sweepConversations(services, place)
      .catch((error: unknown) => log.warn({ err: error }, 'Failed to sweep conversations'))
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(sweep, INTERVAL);
  sweep();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
