import { Migration } from '@mikro-orm/migrations';
import { countRowsOf } from '../../../platform/migrations/0145-row-counts.ts';

const IS_PUBLISHED = (redirect: string) => `
        case ${redirect}.kind
          when 'page' then exists (select from site_content.pages p where p.id = ${redirect}.record_id and p.status = 'published')
          when 'item' then exists (select from site_content.items i where i.id = ${redirect}.record_id and i.status = 'published')
          else exists (select from site_content.posts o where o.id = ${redirect}.record_id and o.status = 'published') end`;

const note = (table: string) => `
      create trigger note_redirects after update of status on site_content.${table} for each row
        when ((old.status = 'published') <> (new.status = 'published')) execute function site_content.note_redirects();`;

/** Sizes of the lists of redirects. Readers see those of published records, so a redirect knows whether its record is published. */
export class RedirectCounts extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      -- A record that is published after the update below, but before its trigger exists, would be missed. Most changes lock in this order.
      lock table site_content.pages, site_content.items, site_content.posts, site_content.redirects in share row exclusive mode;
      alter table site_content.redirects add column published boolean not null default false;
      update site_content.redirects r set published = true where ${IS_PUBLISHED('r')};
      create index redirects_published on site_content.redirects (site_id, kind, address, id) where published;

      create function site_content.set_redirect_published() returns trigger language plpgsql as $$ begin
        new.published := ${IS_PUBLISHED('new')};
        return new;
      end $$;
      create trigger set_published before insert or update of record_id on site_content.redirects for each row
        execute function site_content.set_redirect_published();

      create function site_content.note_redirects() returns trigger language plpgsql as $$ begin
        update site_content.redirects set published = new.status = 'published' where record_id = new.id;
        return null;
      end $$;
      ${['pages', 'items', 'posts'].map(note).join('')}
      ${countRowsOf({ table: 'site_content.redirects', list: 'redirects', by: ['site_id', 'published'] })}
    `);
  }
}
