import type { EnumValue } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';
import { type Bind, type Rows, readRows, readSlice, SizedCache } from '../database/index.ts';
import { type ListPage, type PageRequest, paginate } from '../lists/index.ts';
import type { RequestScope, Scope } from '../scope/index.ts';
import { bodyFor } from './emit.ts';
import { Attempt, Delivery, EmittedEvent } from './entity.ts';
import type { WebhookSurface } from './policies.ts';

/** Selects deliveries of a subscription. */
export interface DeliveryFilter {
  status?: EnumValue<'WebhookDeliveryStatus'> | null;
  event?: string | null;
  /** Only deliveries created at or after this time. */
  from?: Date | null;
  /** Only deliveries created before this time. */
  to?: Date | null;
}

const LIST_COLUMNS = [
  'id',
  'subscriptionId',
  'eventId',
  'event',
  'status',
  'attempts',
  'responseStatus',
  'lastError',
  'nextAttemptAt',
  'createdAt',
] as const;

/** Maximum number of deliveries that a page counts and reaches, so that a page of a million deliveries is as fast as one of a thousand. */
const MAX_COUNTED = 10_000;

/** A log with more deliveries than a page counts usually stays so. For this time, its pages are not counted again. */
const FULL_MS = 60_000;
const fullLogs = new SizedCache<string, { until: number }>(1_000_000);

/** The deliveries of a subscription, newest first. The caller has found the subscription in the scope. */
export async function deliveriesPage(
  scope: Scope,
  subscriptionId: string,
  { status, event, from, to }: DeliveryFilter,
  request: PageRequest,
): Promise<ListPage<Delivery>> {
  const offset = Math.min((request.page - 1) * request.limit, MAX_COUNTED);
  const slice = { limit: Math.min(request.limit, MAX_COUNTED - offset), offset };
  const rows: Rows<Delivery> = {
    columns: LIST_COLUMNS,
    where: { subscriptionId, status: status ?? undefined, event: event ?? undefined },
    matching: (bind) => period(bind, from, to),
    orderBy: { createdAt: 'desc', id: 'desc' },
  };
  const key = JSON.stringify([subscriptionId, status, event, from, to]);
  if ((fullLogs.get(key)?.until ?? 0) > performance.now()) {
    const found = await readRows(scope, Delivery, rows, slice);
    // Replays and retention can shrink a full log.
    if (found.length === slice.limit) return paginate(found, request, MAX_COUNTED);
  }
  const { rows: found, total } = await readSlice(scope, Delivery, rows, slice, MAX_COUNTED);
  if (total === MAX_COUNTED) fullLogs.set(key, { until: performance.now() + FULL_MS }, 2 * key.length + 200);
  return paginate(found, request, total);
}

const period = (bind: Bind, from?: Date | null, to?: Date | null): string =>
  ['true', ...(from ? [`r.created_at >= ${bind(from)}`] : []), ...(to ? [`r.created_at < ${bind(to)}`] : [])].join(' and ');

const BODY_COLUMNS = ['id', 'subscriptionId', 'eventId'] as const;
const EVENT_COLUMNS = ['id', 'organizationId', 'event', 'aboutId', 'occurredAt', 'payload'] as const;

/** The body of a delivery of the surface. Batches a page of deliveries, and reads each event once. Throws `NOT_FOUND` if it was deleted meanwhile. */
export async function bodyOf(scope: RequestScope, surface: WebhookSurface, deliveryId: string): Promise<string> {
  const read = scope.batch('webhook bodies', async (ids) => {
    const deliveries = await readRows(scope, Delivery, { columns: BODY_COLUMNS, where: { id: ids } });
    const eventIds = [...new Set(deliveries.map(({ eventId }) => eventId))];
    const events = await readRows(scope, EmittedEvent, { columns: EVENT_COLUMNS, where: { id: eventIds } });
    const byId = new Map(events.map((event) => [event.id, event]));
    return new Map(
      deliveries.flatMap(({ id, subscriptionId, eventId }): [string, string][] => {
        const event = byId.get(eventId);
        return event ? [[id, bodyFor(surface, subscriptionId, event)]] : [];
      }),
    );
  });
  const body = await read(deliveryId);
  if (body === null) throw fail('NOT_FOUND', 'Delivery not found');
  return body;
}

export const MAX_ATTEMPTS = 100;

/** The latest attempts of a delivery, oldest first. Batches a page of deliveries into one query. */
export async function attemptsOf(scope: RequestScope, deliveryId: string): Promise<Attempt[]> {
  const read = scope.batch('webhook attempts', async (deliveryIds) => {
    // The limit applies per delivery, because replays can add any number of attempts.
    const matching = (bind: Bind) => `r.id in (
      select a.id from unnest(${bind(deliveryIds)}::uuid[]) as d (id) cross join lateral (
        select id from webhooks.attempts where delivery_id = d.id order by at desc, id desc limit ${MAX_ATTEMPTS}
      ) a)`;
    const attempts = await readRows(scope, Attempt, { matching, orderBy: { at: 'asc', id: 'asc' } });
    return Map.groupBy(attempts, (each) => each.deliveryId);
  });
  return (await read(deliveryId)) ?? [];
}
