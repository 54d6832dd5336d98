import { query, sql } from '../../../platform/database/index.ts';
import { detached, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { end, lockHandoff } from './state.ts';

/** Open handoffs without a message for a day. Nobody waits for them any more. */
const IDLE = `
  select h.id, h.organization_id as "organizationId" from agent.handoffs h join agent.conversations c on c.id = h.conversation_id
   where h.status in ('waiting', 'active') and greatest(h.created_at, h.taken_at, c.last_message_at) < now() - interval '1 day'`;

/** Close handoffs that both sides have left. */
export async function endIdleHandoffs(services: Services): Promise<void> {
  const { rows } = await services.pool.query<{ id: string; organizationId: string }>(`${IDLE} limit 100`);
  for (const { id, organizationId } of rows) {
    const closing = transaction(detached({ services, organizationId }), async (inner) => {
      const { handoff, conversation } = await lockHandoff(inner, id);
      // A message may have arrived before the lock.
      const [idle] = await query(inner.em, sql`${sql.raw(IDLE)} and h.id = ${id}`);
      if (idle) await end(inner, conversation, handoff, 'closed', null);
    });
    await closing.catch((error: unknown) => log.warn({ err: error, handoffId: id }, 'Failed to close an idle handoff'));
  }
}
