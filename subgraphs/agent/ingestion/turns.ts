import { lockName, query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { ofPresentAgent } from '../agents/present.ts';

/**
 * The queued sources of an organization that may begin: those in progress occupy their places, the oldest get the rest. Sources of an agent
 * that is being removed have no place.
 */
const inTurn = (organizationId: string, limit: number) => sql<{ id: string }>`
  select id from (
    select id, status, row_number() over (order by status = 'queued', queued_at, id) as place from agent.sources s
     where organization_id = ${organizationId} and status not in ('ready', 'failed')
       and ${sql.raw(ofPresentAgent('s'))}) open
   where status = 'queued' and place <= ${limit}`;

/** Concurrent transactions would not see each other's changes of places. Taken after the lock of a source, which prevents deadlocks. */
const lockTurns = ({ em, organizationId }: Scope) => lockName(em, `ingestions of ${organizationId}`);

/** Whether it is the turn of a queued source. The answer stays valid until the commit. */
export async function isInTurn(scope: Scope, sourceId: string, limit: number): Promise<boolean> {
  const queued = await query(scope.em, sql`select id from agent.sources where id = ${sourceId} and status = 'queued' for update`);
  if (queued.length === 0) return false;
  await lockTurns(scope);
  const found = await query(scope.em, sql`select id from (${inTurn(scope.organizationId, limit)}) next where id = ${sourceId}`);
  return found.length > 0;
}

/**
 * Starts the queued sources whose turn it is, in the transaction of the scope. Call it after an ingestion has ended. Does not rely on a
 * message that the relay has claimed: its workflow may have found already that the turn had not come.
 */
export async function startNext(scope: Scope, limit: number): Promise<void> {
  await lockTurns(scope);
  await query(
    scope.em,
    sql`insert into identity.outbox (topic, payload)
        select 'source.start', jsonb_build_object('sourceId', id, 'organizationId', ${scope.organizationId}::text)
          from (${inTurn(scope.organizationId, limit)}) next
         where not exists (
           select 1 from identity.outbox o where o.topic = 'source.start' and o.attempts = 0 and o.payload ->> 'sourceId' = next.id::text)`,
  );
}
