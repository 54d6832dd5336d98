import { Migration } from '@mikro-orm/migrations';

const LOCK = `perform pg_advisory_xact_lock(hashtextextended('site content of ' || old.organization_id, 0));`;

const note = (condition: string) => `
          ${LOCK}
          -- Numbering a million changes takes half a minute. Their readers read the list again instead.
          if (select count(*) from (select from site_content.posts p where ${condition} limit 10001) shown) > 10000 then
            insert into site_content.pruned_changes (organization_id, list, parent_id, revision)
            select old.organization_id, 'posts', old.site_id, nextval('site_content.revisions')
             where exists (select from site_content.sites where id = old.site_id)
            on conflict (parent_id, list) do update set revision = excluded.revision;
            return null;
          end if;
          update site_content.changes c set revision = nextval('site_content.revisions'), at = now()
            from site_content.posts p where ${condition} and c.record_id = p.id;
          return null;`;

/** A post changes with its author and categories, without a write of the post. The ids of deleted categories stay in the posts. */
export class ChangesOfPosts extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function site_content.touch_posts() returns trigger language plpgsql as $$ begin
        ${note('p.author_id = old.id')}
      end $$;
      create or replace function site_content.touch_posts_of_category() returns trigger language plpgsql as $$ begin
        ${note('p.category_ids @> array[old.id]')}
      end $$;
    `);
  }
}
