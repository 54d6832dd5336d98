import { OF_ORGANIZATION } from '../../../../platform/database/index.ts';

const hasValue = `jsonb_typeof(a.value -> 'value') in ('number', 'boolean', 'string', 'array') and a.value -> 'value' not in ('""', '[]')`;

/** The values and confidences of products that are not archived, counted `n` times each. */
const valuesOf = (rows: string, n: number) => `
  select organization_id, 'value' as kind, left(a.key, 256) as key, ${n} as n, 0::numeric as s
    from ${rows}, jsonb_each(attributes) a where not archived and ${hasValue}
  union all select organization_id, 'confidence', left(p.key, 256), ${n}, ${n} * (p.value ->> 'confidence')::numeric
    from ${rows}, jsonb_each(provenance) p where not archived and jsonb_typeof(p.value -> 'confidence') = 'number'`;
const jobOf = (row: string, n: number) =>
  `select ${row}.organization_id, 'job' as kind, ${row}.kind || ' ' || ${row}.status as key, ${n} as n, 0::numeric as s`;
/**
 * Open values by attribute, open and all values by tier, score and attribute, and accepted values by rule. The first row of an attribute is
 * written even if it stays the same, because its lock guards the others: one statement may insert and delete values of different scores.
 */
const proposalsOf = (rows: string, n: number) => `
  select r.organization_id, 'review' as kind, r.slug as key, case when r.verdict is null then ${n} else 0 end as n, 0::numeric as s from ${rows} r
  union all select r.organization_id, 'open', concat_ws(' ', r.tier, r.score, r.slug), ${n}, 0 from ${rows} r where r.verdict is null
  union all select r.organization_id, 'written', concat_ws(' ', r.tier, r.score, r.slug), ${n}, 0 from ${rows} r
  union all select r.organization_id, 'accepted', r.rule_id::text, ${n}, 0 from ${rows} r where r.rule_id is not null`;

/** The order of the keys is that of the locks, in all triggers, with those of the review first. */
const add = (changes: string) => `
  insert into catalog.counters as c (organization_id, kind, key, slot, count, sum)
  select organization_id, kind, key, 1 + pg_backend_pid() % 15, sum(n), sum(s) from (${changes}) t
   where exists (select 1 from identity.organizations o where o.id = organization_id)
   group by 1, 2, 3 having sum(n) <> 0 or sum(s) <> 0 or kind = 'review' order by 1, kind <> 'review', 2, 3
  on conflict (organization_id, kind, key, slot) do update set count = c.count + excluded.count, sum = c.sum + excluded.sum`;

const trigger = (name: string, event: string, changes: string, before = '') => `
create function catalog.${name}() returns trigger language plpgsql as $$ begin ${before} ${add(changes)}; return null; end $$;
create trigger ${name} after ${event} execute function catalog.${name}();`;

const AFTER = 'referencing new table as after_rows for each statement';
const BEFORE = 'referencing old table as before_rows for each statement';
const BOTH = 'referencing new table as after_rows old table as before_rows for each statement';

/** The numbers of the statistics: products that have a value of an attribute, their confidences, jobs by state, and proposals. */
export const counters = `
-- The value of a counter is the sum of its slots. Transactions of different connections rarely share a row, so they do not wait for each other. A
-- sweep adds the slots up in slot 0, which no transaction writes.
create table catalog.counters (
  ${OF_ORGANIZATION},
  kind text not null,
  key text not null,
  slot smallint not null,
  count bigint not null default 0,
  sum numeric not null default 0,
  primary key (organization_id, kind, key, slot)
) with (fillfactor = 70);
-- The slots to add up.
create index counters_slots on catalog.counters (organization_id, kind, key) where slot > 0;
${trigger('values_created', `insert on catalog.products ${AFTER}`, valuesOf('after_rows', 1))}
${trigger('values_deleted', `delete on catalog.products ${BEFORE}`, valuesOf('before_rows', -1))}
${trigger(
  'values_changed',
  `update on catalog.products ${BOTH}`,
  `${valuesOf('changed', 1)} union all ${valuesOf('before', -1)}`,
  `
  -- A full join, because another one would take quadratic time for many rows, after a connection made its plan for one.
  with changed as materialized (
    select a.organization_id, a.attributes, a.provenance, a.archived, b.attributes as old_attributes, b.provenance as old_provenance,
           b.archived as old_archived
      from after_rows a full join before_rows b using (id)
     where (a.attributes, a.provenance, a.archived) is distinct from (b.attributes, b.provenance, b.archived)),
  before as (select organization_id, old_attributes as attributes, old_provenance as provenance, old_archived as archived from changed)`,
)}
${trigger('job_counted', 'insert on catalog.jobs for each row', jobOf('new', 1))}
${trigger(
  'job_moved',
  'update of status on catalog.jobs for each row when (old.status is distinct from new.status)',
  `${jobOf('new', 1)} union all ${jobOf('old', -1)}`,
)}
${trigger('job_removed', 'delete on catalog.jobs for each row', jobOf('old', -1))}
${trigger('proposals_created', `insert on catalog.proposals ${AFTER}`, proposalsOf('after_rows', 1))}
${trigger(
  'proposal_decided',
  `update on catalog.proposals ${BOTH}`,
  `${proposalsOf('after_rows', 1)} union all ${proposalsOf('before_rows', -1)}`,
)}
${trigger('proposal_removed', `delete on catalog.proposals ${BEFORE}`, proposalsOf('before_rows', -1))}
`;
