import type { RecordedOperation } from '../usage/schema-check.ts';
import type { Registry } from './registry-database.ts';

const RECORDED = `
  with used as (
    select operation, client, sum(requests)::float8 as requests from registry.requests
     where hour >= now() - make_interval(days => $1) group by 1, 2
  ), sent as (
    select r.operation, array_agg(distinct s.key) as keys from registry.requests r cross join jsonb_object_keys(r.sent) s(key)
     where hour >= now() - make_interval(days => $1) group by 1
  )
  select u.operation as hash, coalesce(o.name, '') as name, coalesce(o.label, '') as label, coalesce(o.text, '') as text,
         coalesce(o.coordinates || o.filled, '{}') || coalesce(s.keys, '{}') as coordinates,
         sum(u.requests) as requests, array_agg(u.client order by u.requests desc, u.client) as clients
    from used u left join registry.operations o on o.hash = u.operation left join sent s on s.operation = u.operation
   group by u.operation, o.hash, s.keys order by sum(u.requests) desc`;

/** The operations that ran within `days`, with all parts of the schema that they used. */
export async function recordedOperations(registry: Registry, days: number): Promise<RecordedOperation[]> {
  return (await registry.query<RecordedOperation>(RECORDED, [days])).rows;
}
