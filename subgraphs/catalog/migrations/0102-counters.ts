import { Migration } from '@mikro-orm/migrations';

/** Transactions of different connections rarely share a row, so they do not wait for each other. */
const SLOT = 'pg_backend_pid() % 16';

const hasValue = `jsonb_typeof(a.value -> 'value') in ('number', 'boolean', 'string', 'array') and a.value -> 'value' not in ('""', '[]')`;

/** The values and confidences of products, counted `n` times each. */
const valuesOf = (rows: string, n: number) => `
  select organization_id, 'value' as kind, left(a.key, 256) as key, ${n} as n, 0::numeric as s
    from ${rows}, jsonb_each(attributes) a where ${hasValue}
  union all select organization_id, 'confidence', left(p.key, 256), ${n}, ${n} * (p.value ->> 'confidence')::numeric
    from ${rows}, jsonb_each(provenance) p where jsonb_typeof(p.value -> 'confidence') = 'number'`;

const add = (changes: string) => `
  insert into catalog.counters as c (organization_id, kind, key, slot, count, sum)
  select organization_id, kind, key, ${SLOT}, sum(n), sum(s) from (${changes}) t
   where exists (select 1 from identity.organizations o where o.id = organization_id)
   group by 1, 2, 3 having sum(n) <> 0 or sum(s) <> 0 order by 1, 2, 3
  on conflict (organization_id, kind, key, slot) do update set count = c.count + excluded.count, sum = c.sum + excluded.sum`;

const row = (of: string, kind: string, key: string, n: number) =>
  `select ${of}.organization_id, '${kind}' as kind, ${key} as key, ${n} as n, 0::numeric as s`;
const job = (of: string, n: number) => row(of, 'job', `${of}.kind || ' ' || ${of}.status`, n);
const open = (of: string, n: number) => `${row(of, 'review', `${of}.slug`, n)} where ${of}.verdict is null`;

const rowTrigger = (name: string, table: string, { timing, body }: { timing: string; body: string }) =>
  `
  create function catalog.${name}() returns trigger language plpgsql as $$ begin ${add(body)}; return null; end $$;
  create trigger ${name} after ${timing} execute function catalog.${name}();`.replaceAll('TABLE', `catalog.${table}`);

const statementTrigger = (name: string, event: string, transition: string, changes: string) => `
  create function catalog.${name}() returns trigger language plpgsql as $$ begin ${add(changes)}; return null; end $$;
  create trigger ${name} after ${event} referencing ${transition} for each statement execute function catalog.${name}();`;

export class Counters extends Migration {
  override up(): void {
    this.addSql(`

      -- Counts that triggers maintain. The value of a counter is the sum of its slots.
      create table catalog.counters (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        kind text not null, key text not null, slot smallint not null, count bigint not null default 0, sum numeric not null default 0,
        primary key (organization_id, kind, key, slot)
      ) with (fillfactor = 70);
      ${add(valuesOf('catalog.products', 1))};
      ${add(`${job('j', 1)} from catalog.jobs j`)};
      ${add(`select p.organization_id, 'review' as kind, p.slug as key, 1 as n, 0::numeric as s from catalog.proposals p where p.verdict is null`)};

      ${statementTrigger('values_created', 'insert on catalog.products', 'new table as after_rows', valuesOf('after_rows', 1))}
      ${statementTrigger('values_deleted', 'delete on catalog.products', 'old table as before_rows', valuesOf('before_rows', -1))}
      create function catalog.values_changed() returns trigger language plpgsql as $$
      begin
        with changed as materialized (
          select a.organization_id, a.attributes, a.provenance, b.attributes as old_attributes, b.provenance as old_provenance
            from after_rows a join before_rows b using (id)
           where a.attributes is distinct from b.attributes or a.provenance is distinct from b.provenance),
        before as (select organization_id, old_attributes as attributes, old_provenance as provenance from changed)
        ${add(`${valuesOf('changed', 1)} union all ${valuesOf('before', -1)}`)};
        return null;
      end $$;
      create trigger values_changed after update on catalog.products referencing new table as after_rows old table as before_rows
        for each statement execute function catalog.values_changed();

      ${rowTrigger('job_counted', 'jobs', { timing: 'insert on TABLE for each row', body: job('new', 1) })}
      ${rowTrigger('job_moved', 'jobs', {
        timing: 'update of status on TABLE for each row when (old.status is distinct from new.status)',
        body: `${job('new', 1)} union all ${job('old', -1)}`,
      })}
      ${rowTrigger('job_removed', 'jobs', { timing: 'delete on TABLE for each row', body: job('old', -1) })}

      ${statementTrigger(
        'proposals_created',
        'insert on catalog.proposals',
        'new table as after_rows',
        `select r.organization_id, 'review' as kind, r.slug as key, 1 as n, 0::numeric as s from after_rows r where r.verdict is null`,
      )}
      ${rowTrigger('proposal_decided', 'proposals', {
        timing: 'update of verdict on TABLE for each row when (old.verdict is distinct from new.verdict)',
        body: `${open('new', 1)} union all ${open('old', -1)}`,
      })}
      ${rowTrigger('proposal_removed', 'proposals', { timing: 'delete on TABLE for each row', body: open('old', -1) })}
    `);
  }
}
