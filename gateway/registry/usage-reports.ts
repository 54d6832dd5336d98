import type { RecordedOperation } from '../usage/schema-check.ts';
import { type Counted, countedRows, type Registry, type Slice } from './registry-database.ts';

/** The use of one part of the schema. */
export interface FieldCount {
  coordinate: string;
  description: string;
  /** Undefined or null unless it is deprecated. */
  deprecation?: string | null;
  requests: number;
  clientCount: number;
  /** The names of those with the most requests. */
  clients: string[];
  lastUsedAt: Date | null;
}

export interface ClientCount {
  name: string;
  version: string;
  requests: number;
}

export interface OperationCount {
  hash: string;
  name: string;
  label: string;
  kind: string;
  text: string;
  coordinates: string[];
  requests: number;
  errors: number;
  /** Milliseconds that half of the requests took at most, and 95 and 99 of 100. */
  p50: number;
  p95: number;
  p99: number;
  lastUsedAt: Date;
  clientCount: number;
  clients: ClientCount[];
}

/** Counts of the last days. */
interface DaysRequest extends Slice {
  days: number;
}

/** Clients of a field or an operation that are listed. */
export const MAX_CLIENTS = 20;

const SINCE = `hour >= now() - make_interval(days => $1)`;

const FIELDS = `
  with totals as (
    select operation, client, sum(requests) as requests, max(hour) as hour from registry.requests where ${SINCE} group by 1, 2
  ), used as (
    select coordinate, t.client, t.requests, t.hour
      from totals t join registry.operations o on o.hash = t.operation cross join unnest(o.coordinates) coordinate
    union all
    select s.key, r.client, s.value::bigint, r.hour from registry.requests r cross join jsonb_each_text(r.sent) s where ${SINCE}
  ), by_client as (
    select coordinate, client, sum(requests) as requests, max(hour) as hour from used group by 1, 2
  ), counted as (
    select coordinate, sum(requests)::float8 as requests, count(*)::int as "clientCount", max(hour) as "lastUsedAt",
           (array_agg(client order by requests desc, client))[1:${MAX_CLIENTS}] as clients
      from by_client group by coordinate
  ), parts as (
    select p.* from (select parts from registry.schemas order by seen_at desc, hash limit 1) s
     cross join jsonb_to_recordset(s.parts) as p(coordinate text, description text, deprecation text)
  )
  select coordinate, coalesce(description, '') as description, deprecation, coalesce(requests, 0) as requests,
         coalesce("clientCount", 0) as "clientCount", coalesce(clients, '{}') as clients, "lastUsedAt", count(*) over ()::int as total
    from parts full join counted using (coordinate) order by coordinate collate "C" limit $2 offset $3`;

/**
 * The parts of the current schema, and others that were used, with their use within `days`, sorted by their coordinates.
 */
export async function listFieldUsage(registry: Registry, { days, ...slice }: DaysRequest): Promise<Counted<FieldCount>> {
  const { rows, total } = await countedRows(slice, (...part) =>
    registry.query<FieldCount & { total: number }>(FIELDS, [days, ...part]),
  );
  const nodes = rows.map(({ total: _, lastUsedAt, ...row }) => ({ ...row, lastUsedAt: lastUsedAt && new Date(lastUsedAt) }));
  return { nodes, total };
}

interface OperationRequest extends DaysRequest {
  /** A part of the name, or of the REST row. */
  search?: string | null;
  coordinate?: string | null;
  client?: string | null;
}

const OPERATIONS = `
  select r.operation as hash, coalesce(o.name, '') as name, coalesce(o.label, '') as label, coalesce(o.kind, '') as kind,
         coalesce(o.text, '') as text, coalesce(o.coordinates || o.filled, '{}') as coordinates,
         sum(r.requests)::float8 as requests, sum(r.errors)::float8 as errors, max(r.hour) as "lastUsedAt",
         count(distinct r.client)::int as "clientCount", count(*) over ()::int as total
    from registry.requests r left join registry.operations o on o.hash = r.operation
   where ${SINCE}
     and ($4::text is null or strpos(lower(o.name), lower($4)) > 0 or strpos(lower(o.label), lower($4)) > 0)
     and ($5::text is null or $5 = any(o.coordinates) or jsonb_exists(r.sent, $5))
     and ($6::text is null or r.client = $6)
   group by r.operation, o.hash order by sum(r.requests) desc, r.operation limit $2 offset $3`;

const DURATIONS = `
  select operation, array_agg(requests order by at) as durations from (
    select operation, at, sum(d.requests)::float8 as requests
      from registry.requests r cross join unnest(r.durations) with ordinality d(requests, at)
     where ${SINCE} and operation = any($2) and ($3::text is null or client = $3) group by operation, at) summed
   group by operation`;

const CLIENTS = `
  select operation, client as name, version, requests from (
    select operation, client, version, sum(requests)::float8 as requests,
           row_number() over (partition by operation order by sum(requests) desc, client, version) as place
      from registry.requests where ${SINCE} and operation = any($2) and ($3::text is null or client = $3) group by 1, 2, 3) ranked
   where place <= ${MAX_CLIENTS} order by operation, place`;

/** The operations that ran within `days`, most requests first. Operations beyond the limits are one, with the hash `*`. */
export async function listOperationUsage(
  registry: Registry,
  { days, search, coordinate, client, ...slice }: OperationRequest,
): Promise<Counted<OperationCount>> {
  const filters = [search ?? null, coordinate ?? null, client ?? null];
  const { rows, total } = await countedRows(slice, (...part) =>
    registry.query<OperationCount & { total: number }>(OPERATIONS, [days, ...part, ...filters]),
  );
  const hashes = rows.map(({ hash }) => hash);
  const [durations, clients] = await Promise.all([
    registry.query<{ operation: string; durations: number[] }>(DURATIONS, [days, hashes, client ?? null]),
    registry.query<ClientCount & { operation: string }>(CLIENTS, [days, hashes, client ?? null]),
  ]);
  const clientsOf = Map.groupBy(clients.rows, ({ operation }) => operation);
  const durationsOf = new Map(durations.rows.map((row) => [row.operation, row.durations]));
  const nodes = rows.map(({ total: _, lastUsedAt, ...row }) => {
    const all = durationsOf.get(row.hash) ?? [];
    return {
      ...row,
      lastUsedAt: new Date(lastUsedAt),
      p50: percentile(all, 0.5),
      p95: percentile(all, 0.95),
      p99: percentile(all, 0.99),
      clients: (clientsOf.get(row.hash) ?? []).map(({ name, version, requests }) => ({ name, version, requests })),
    };
  });
  return { nodes, total };
}

/** The upper end of the class in which the part of the requests ends. Class `i` ends at `2 ** (i / 2)` milliseconds. */
function percentile(durations: readonly number[], part: number): number {
  const wanted = durations.reduce((sum, each) => sum + each, 0) * part;
  let seen = 0;
  const at = durations.findIndex((each) => {
    seen += each;
    return each > 0 && seen >= wanted;
  });
  return at === -1 ? 0 : Number((2 ** (at / 2)).toPrecision(3));
}

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
