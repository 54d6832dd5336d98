import type pg from 'pg';
import { buildIndex, StepwiseMigration } from '../../../platform/migrations/online.ts';

const BATCH = 2_000;
const NIL = '00000000-0000-0000-0000-000000000000';

/** Finds the records of one batch of deliveries. A ticket is known by its number. */
const FILL = `
  with batch as (
    select id, organization_id, event, body from webhooks.deliveries where id > $1 order by id limit ${BATCH}),
  events as (
    select id, organization_id, event, body::jsonb -> 'data' as data from batch
     where event in ('lead.created', 'form.submitted', 'ticket.created', 'ticket.assigned', 'ticket.status_changed', 'ticket.replied')),
  found as (
    select e.id, coalesce(t.id, case when e.event like 'ticket.%' then null when e.data ->> 'id' ~ '^[0-9a-f-]{36}$' then (e.data ->> 'id')::uuid end) as record_id
      from events e
      left join agent.tickets t on t.organization_id = e.organization_id and t.ticket_number = e.data ->> 'ticketNumber'
                               and e.event like 'ticket.%'),
  filled as (
    update webhooks.deliveries d set record_id = f.record_id from found f
     where d.id = f.id and d.record_id is null and f.record_id is not null)
  select max(id::text) as last from batch`;

/** Fills in the records of earlier deliveries, in short statements. */
export class RecordsOfDeliveries extends StepwiseMigration {
  protected override async migrate(client: pg.Client): Promise<void> {
    for (let last: string | null = NIL; last; ) {
      const { rows }: pg.QueryResult<{ last: string | null }> = await client.query(FILL, [last]);
      last = rows[0]!.last;
    }
    for (const statement of buildIndex('webhooks.deliveries_record', 'webhooks.deliveries (record_id) where record_id is not null'))
      await client.query(statement);
  }
}
