import { Migration } from '@mikro-orm/migrations';

/** Lets workers read the texts of callers, and the pages of files, within a budget. */
export class BoundedReads extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      -- Texts within a budget of characters. Short ones stay complete.
      create function catalog.fit_texts(texts text[], budget integer) returns text[] language sql immutable parallel safe
        return (select coalesce(array_agg(left(t, greatest(0, budget - before)::int) order by n), '{}') from (
          select t, n, coalesce(sum(length(t)) over (order by length(t), n rows between unbounded preceding and 1 preceding), 0) as before
            from unnest(texts) with ordinality as given (t, n)) as measured);
      -- A page with the column names of a hostile table may have megabytes. Its text is read as it is, up to a limit.
      create function catalog.bounded_page(content json) returns json language sql immutable parallel safe
        return case when octet_length(content::text) <= 524288 then content
                    else json_build_object('kind', 'text', 'text', left(content::text, 60000)) end;

      -- The words of the pages of a file, and the pages that have them. -1 stands for many pages. The words are spread over the buckets.
      create table catalog.file_words (
        file_id uuid not null references catalog.files on delete cascade deferrable initially deferred, bucket integer not null,
        words integer[] not null, places integer[] not null, primary key (file_id, bucket)
      );
      -- The number of buckets; null before the first job that searches the file.
      alter table catalog.files add word_buckets integer;
    `);
  }
}
