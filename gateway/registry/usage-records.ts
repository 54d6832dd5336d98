import { REST, type UsageBatch, type UsageRow } from '../usage/usage-contract.ts';
import type { Registry } from './registry-database.ts';

/** Operations in the table. Counts of further ones have no operation of their own. */
const MAX_OPERATIONS = 20_000;

const ROOM = `
  select (select count(*)::int from registry.operations) as stored,
         array(select hash from registry.operations where hash = any($1)) as known`;

const RECORD = `
  with fresh as (
    insert into registry.writers as w (id, sequence, at) values ($1, $2, now())
    on conflict (id) do update set sequence = excluded.sequence, at = now() where w.sequence < excluded.sequence
    returning 1
  ), described as (
    insert into registry.operations (hash, name, kind, label, text, coordinates, filled)
    select o.* from jsonb_to_recordset($3::jsonb)
      as o(hash text, name text, kind text, label text, "text" text, coordinates text[], filled text[]), fresh order by hash
    on conflict (hash) do update set coordinates = excluded.coordinates, filled = excluded.filled, seen_at = now()
  )
  insert into registry.requests as r (hour, operation, client, version, requests, errors, durations, sent)
  select to_timestamp(n.hour / 1000), operation, client, version, requests, errors, durations, sent
    from jsonb_to_recordset($4::jsonb) as n(
      hour double precision, operation text, client text, version text, requests bigint, errors bigint, durations bigint[], sent jsonb
    ), fresh
   order by hour, operation, client, version
  on conflict (hour, operation, client, version) do update set
    requests = r.requests + excluded.requests,
    errors = r.errors + excluded.errors,
    durations = array(select one + other from unnest(r.durations, excluded.durations) with ordinality as d(one, other, at) order by at),
    sent = case when excluded.sent = '{}' then r.sent else coalesce((
      select jsonb_object_agg(name, requests) from (
        select s.key as name, sum(s.value::bigint) as requests
          from (select * from jsonb_each_text(r.sent) union all select * from jsonb_each_text(excluded.sent)) s group by s.key
      ) summed), '{}') end`;

/**
 * Add a batch of counts, once. Returns the hashes of the operations that the table has no room for, whose counts are added without their
 * operation. Processes that record at the same time may exceed the limit by their own operations.
 */
export async function recordUsage(registry: Registry, batch: UsageBatch, limit = MAX_OPERATIONS): Promise<string[]> {
  const { writer, sequence, operations } = batch;
  const refused =
    operations.length === 0
      ? []
      : await withoutRoom(
          registry,
          operations.map(({ hash }) => hash),
          limit,
        );
  const described = operations.filter(({ hash }) => !refused.includes(hash));
  const rows = refused.length === 0 ? batch.rows : placed(batch, new Set(refused));
  const values = rows.map(({ client: { name, version }, ...row }) => ({ ...row, client: name, version }));
  await registry.query(RECORD, [writer, sequence, JSON.stringify(described), JSON.stringify(values)], 'record-usage');
  return refused;
}

async function withoutRoom(registry: Registry, hashes: string[], limit: number): Promise<string[]> {
  const { rows } = await registry.query<{ stored: number; known: string[] }>(ROOM, [hashes], 'room-for-usage');
  const { stored, known } = rows[0]!;
  const fresh = hashes.filter((hash) => !known.includes(hash));
  return fresh.slice(Math.max(0, limit - stored));
}

/** The rows, with those of refused operations added to the rest of their hour. */
function placed({ operations, rows }: UsageBatch, refused: ReadonlySet<string>): UsageRow[] {
  const coordinates = new Map(operations.map((each) => [each.hash, each.coordinates]));
  const kept = rows.filter(({ operation }) => !refused.has(operation) && operation !== REST);
  const rest = rows.filter(({ operation }) => refused.has(operation) || operation === REST);
  const byHour = Map.groupBy(rest, ({ hour }) => hour);
  return [...kept, ...[...byHour].map(([hour, all]) => restOf(hour, all, coordinates))];
}

function restOf(hour: number, rows: readonly UsageRow[], coordinates: ReadonlyMap<string, readonly string[]>): UsageRow {
  const sent: Record<string, number> = {};
  const add = (coordinate: string, requests: number) => {
    sent[coordinate] = (sent[coordinate] ?? 0) + requests;
  };
  for (const row of rows) {
    for (const each of coordinates.get(row.operation) ?? []) add(each, row.requests);
    for (const [each, requests] of Object.entries(row.sent)) add(each, requests);
  }
  const sum = (of: (row: UsageRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    hour,
    operation: REST,
    client: { name: REST, version: '' },
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    durations: rows[0]!.durations.map((_, at) => sum(({ durations }) => durations[at]!)),
    sent,
  };
}

const DAYS = 90;
const REQUESTS = `
  delete from registry.requests where ctid = any(array(
    select ctid from registry.requests where hour < now() - make_interval(days => $1) order by hour limit $2))`;
/** Each hour in which an operation runs renews it. */
const OPERATIONS = `
  delete from registry.operations where hash in (
    select hash from registry.operations where seen_at < now() - make_interval(days => $1) limit $2 for update skip locked)`;

/** No process sends a batch again after that. */
const WRITER_DAYS = 2;
const WRITERS = `
  delete from registry.writers where id in (
    select id from registry.writers where at < now() - make_interval(days => $1) limit $2 for update skip locked)`;

/** Rows of one statement. */
const BATCH = 1_000;

/** Delete counts after 90 days, in small batches, and return the number of deleted rows. Safe to run concurrently. */
export async function deleteOldUsage(registry: Registry): Promise<number> {
  let total = 0;
  for (const [statement, days] of [
    [REQUESTS, DAYS],
    [OPERATIONS, DAYS],
    [WRITERS, WRITER_DAYS],
  ] as const) {
    // A limit of time, because the table may get rows faster than a limit of rows deletes them. The next run continues.
    const end = performance.now() + BUDGET;
    let deleted: number;
    do {
      ({ rowCount: deleted } = await registry.query(statement, [days, BATCH]));
      total += deleted;
    } while (deleted === BATCH && performance.now() < end);
  }
  return total;
}

/** Milliseconds for each table. */
const BUDGET = 100_000;
