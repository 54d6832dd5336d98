import { clock, query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { emit } from '../../../platform/webhooks/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { numberLocked } from './feed.ts';

/** The events that changes of products become. */
const EVENTS: readonly string[] = ['product.created', 'product.updated', 'product.deleted'] satisfies EnumValue<'WebhookEvent'>[];

/** Maximum number of products of an event. */
const BATCH = 500;
/** Milliseconds in which a sweep starts batches. The next sweep continues. */
const SWEEP_MS = 50_000;

/** Make the changes from now on events, if a webhook with these events receives them. */
export async function emitProductEvents({ em, organizationId }: Scope, events: readonly string[]): Promise<void> {
  if (!events.some((event) => EVENTS.includes(event))) return;
  await query(
    em,
    sql`insert into catalog.change_counters as c (organization_id, emitting_since) values (${organizationId}, now())
        on conflict (organization_id) do update set emitted = case when c.emitting_since is null then c.last else c.emitted end,
          emitting_since = coalesce(c.emitting_since, excluded.emitting_since)`,
  );
}

const WAITING = `
  select organization_id as id from catalog.change_counters c where emitting_since is not null
     and (last > emitted or exists (select from catalog.changes u where u.organization_id = c.organization_id and u.number is null))`;

/**
 * Emit the events of the products that changed, for all organizations with a webhook for them. Organizations take turns, a batch at a time,
 * and a failing one does not stop the others. Safe to run concurrently. Returns the number of products.
 */
export async function emitCatalogChanges(services: Services): Promise<number> {
  const end = clock.ms() + SWEEP_MS;
  let emitted = 0;
  let { rows } = await services.pool.query<{ id: string }>(WAITING);
  while (rows.length > 0 && clock.ms() < end) {
    const unfinished: typeof rows = [];
    for (const row of rows) {
      const batch = await transaction(detached({ services, organizationId: row.id }), emitBatch).catch((err) => {
        log.warn({ err, organizationId: row.id }, 'Failed to emit the events of products; the next sweep tries again');
        return { count: 0, hasMore: false };
      });
      emitted += batch.count;
      if (batch.hasMore) unfinished.push(row);
    }
    rows = unfinished;
  }
  return emitted;
}

interface ChangedProduct {
  id: string;
  sku: string;
  externalId: string | null;
  changedAt: Date;
  number: string;
  event: string | null;
}

/** Emit one event of each type for the next changes. The lock on the counter serializes concurrent sweeps. */
async function emitBatch(scope: Scope): Promise<{ count: number; hasMore: boolean }> {
  const { em, organizationId } = scope;
  const { last } = await numberLocked(scope);
  const rows = await query(
    em,
    sql<ChangedProduct>`
      select record_id as id, sku, external_id as "externalId", at as "changedAt", number,
             case when at < k.emitting_since then null
                  when announced or first_at < k.emitting_since then case when deleted then 'product.deleted' else 'product.updated' end
                  when not deleted then 'product.created' end as event
        from catalog.change_counters k join catalog.changes c using (organization_id)
       where k.organization_id = ${organizationId} and c.number > k.emitted and c.subject = 'product' order by c.number limit ${BATCH}`,
  );
  const known = await lockNew(scope, rows);
  const changing = rows.find((row) => isMarked(row) && !known.has(row.id));
  const next = changing ?? (rows.length === BATCH ? rows.at(-1) : undefined);
  const announced = changing ? rows.slice(0, rows.indexOf(changing)) : rows;
  const end = changing ? Number(changing.number) - 1 : next ? Number(next.number) : last;
  await markAnnounced(scope, announced);
  for (const event of EVENTS) {
    const products = announced
      .filter((row) => row.event === event)
      .map(({ id, sku, externalId, changedAt }) => ({ id, sku, externalId, changedAt }));
    if (products.length > 0) await emit(scope, event, { products, cursor: String(end) });
  }
  await query(
    em,
    sql`update catalog.change_counters set emitted = ${end}, emitting_since = case when exists (
            select from webhooks.subscriptions where organization_id = ${organizationId} and surface = 'catalog' and events && ${EVENTS as string[]}::text[])
          then emitting_since end
         where organization_id = ${organizationId}`,
  );
  return { count: announced.length, hasMore: announced.length > 0 && next !== undefined };
}

/** Whether the next event of the product depends on this one: after a creation it tells of a change, and after a deletion of a creation. */
const isMarked = ({ event }: ChangedProduct) => event === 'product.created' || event === 'product.deleted';

/**
 * Lock the changes that create or delete a product, and return their ids. Those that a writer changes at the same time are left to the next
 * batch: waiting for the writer could be a deadlock, and without the mark their next event would be a wrong one.
 */
async function lockNew({ em }: Scope, rows: readonly ChangedProduct[]): Promise<Set<string>> {
  const ids = rows.filter(isMarked).map(({ id }) => id);
  const locked = await query(
    em,
    sql<{ id: string }>`select record_id as id from catalog.changes
                         where record_id = any(${ids}::uuid[]) and number is not null for update skip locked`,
  );
  return new Set(locked.map(({ id }) => id));
}

/** Remember which products the receivers know after these events. A deleted product can be restored, which is a creation for them. */
async function markAnnounced({ em }: Scope, rows: readonly ChangedProduct[]): Promise<void> {
  const ids = rows.filter(isMarked).map(({ id }) => id);
  await query(
    em,
    sql`update catalog.changes set announced = not deleted, first_at = case when deleted then at else first_at end
         where record_id = any(${ids}::uuid[])`,
  );
}
