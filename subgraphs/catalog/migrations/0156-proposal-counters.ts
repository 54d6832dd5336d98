import { Migration } from '@mikro-orm/migrations';

const count = (changes: string) => `
  insert into catalog.counters as c (organization_id, kind, key, slot, count, sum)
  select organization_id, 'review', slug, pg_backend_pid() % 16, sum(n), 0 from (${changes}) t
   where exists (select 1 from identity.organizations o where o.id = organization_id)
   group by 1, 3 having sum(n) <> 0 order by 1, 3
  on conflict (organization_id, kind, key, slot) do update set count = c.count + excluded.count`;

const open = (rows: string, n: number) => `select organization_id, slug, ${n} as n from ${rows} where verdict is null`;

/** Counts the open proposals once per statement, with the locks in the order of the keys, as all other counters do. */
export class ProposalCounters extends Migration {
  override up(): void {
    this.addSql(`
      drop trigger proposal_decided on catalog.proposals;
      drop trigger proposal_removed on catalog.proposals;
      create or replace function catalog.proposal_decided() returns trigger language plpgsql as $$
      begin ${count(`${open('after_rows', 1)} union all ${open('before_rows', -1)}`)}; return null; end $$;
      create or replace function catalog.proposal_removed() returns trigger language plpgsql as $$
      begin ${count(open('before_rows', -1))}; return null; end $$;
      create trigger proposal_decided after update on catalog.proposals referencing new table as after_rows old table as before_rows
        for each statement execute function catalog.proposal_decided();
      create trigger proposal_removed after delete on catalog.proposals referencing old table as before_rows
        for each statement execute function catalog.proposal_removed();
    `);
  }
}
