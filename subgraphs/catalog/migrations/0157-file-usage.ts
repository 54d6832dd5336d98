import { Migration } from '@mikro-orm/migrations';

const count = (changes: string) => `
  insert into catalog.file_usage as u (organization_id, bytes)
  select organization_id, sum(n) from (${changes}) t
   where exists (select 1 from identity.organizations o where o.id = organization_id)
   group by 1 having sum(n) <> 0 order by 1
  on conflict (organization_id) do update set bytes = u.bytes + excluded.bytes`;

const bytes = (rows: string, sign: '' | '-') => `select organization_id, ${sign}(bytes + page_bytes) as n from ${rows}`;

/** Counts the bytes that the files of an organization take, and notes when each file was used last. */
export class FileUsage extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table catalog.files add column page_bytes bigint not null default 0, add column used_at timestamptz not null default now();
      comment on column catalog.files.page_bytes is 'Stored size of the pages of the file.';

      create table catalog.file_usage (
        organization_id uuid primary key references identity.organizations on delete cascade deferrable initially deferred,
        bytes bigint not null default 0
      ) with (fillfactor = 70);

      create function catalog.files_added() returns trigger language plpgsql as $$
      begin ${count(bytes('after_rows', ''))}; return null; end $$;
      create function catalog.files_changed() returns trigger language plpgsql as $$
      begin ${count(`${bytes('after_rows', '')} union all ${bytes('before_rows', '-')}`)}; return null; end $$;
      create function catalog.files_removed() returns trigger language plpgsql as $$
      begin ${count(bytes('before_rows', '-'))}; return null; end $$;
      create trigger files_added after insert on catalog.files referencing new table as after_rows
        for each statement execute function catalog.files_added();
      create trigger files_changed after update on catalog.files referencing new table as after_rows old table as before_rows
        for each statement execute function catalog.files_changed();
      create trigger files_removed after delete on catalog.files referencing old table as before_rows
        for each statement execute function catalog.files_removed();

      ${count(bytes('catalog.files', ''))};
    `);
  }
}
