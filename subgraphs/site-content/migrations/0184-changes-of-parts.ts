import { Migration } from '@mikro-orm/migrations';

const LOCK = (organization: string) => `pg_advisory_xact_lock(hashtextextended('site content of ' || ${organization}, 0))`;

/** An item shows the fields of its collection, and a member of a workspace the name of its user, so both change with them. */
export class ChangesOfParts extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      create function site_content.note_shown_fields() returns trigger language plpgsql as $$
        declare
          before text[] := array(select jsonb_object_keys(old.removed));
          after text[] := array(select jsonb_object_keys(new.removed));
          names text[] := array(select name from unnest(before || after) name where not (name = any(before) and name = any(after)));
        begin
          perform ${LOCK('new.organization_id')};
          -- Numbering a million changes takes half a minute. Their readers read the list again instead.
          if (select sum(count) from site_content.tallies where list = 'items' and parent_id = new.id) > 10000 then
            insert into site_content.pruned_changes (organization_id, list, parent_id, revision)
            values (new.organization_id, 'items', new.id, nextval('site_content.revisions'))
            on conflict (parent_id, list) do update set revision = excluded.revision;
            return null;
          end if;
          update site_content.changes c set revision = nextval('site_content.revisions'), at = now()
            from site_content.items i
           where i.collection_id = new.id and jsonb_exists_any(i.fields, names) and c.record_id = i.id;
          return null;
        end $$;
      create trigger note_shown_fields after update on site_content.collections for each row
        when (old.removed is distinct from new.removed) execute function site_content.note_shown_fields();

      create function site_content.note_members() returns trigger language plpgsql as $$
        declare organization uuid;
        begin
          -- In the order of their ids, so that concurrent changes of users cannot deadlock.
          for organization in select organization_id from identity.memberships where user_id = new.id order by 1 loop
            perform ${LOCK('organization')};
          end loop;
          update site_content.changes c set revision = nextval('site_content.revisions'), at = now()
            from identity.memberships s
            join site_content.members m on m.organization_id = s.organization_id and m.user_id = s.user_id
           where s.user_id = new.id and c.record_id = m.id;
          return null;
        end $$;
      create trigger note_members after update on identity.users for each row
        when ((old.name, old.email) is distinct from (new.name, new.email)) execute function site_content.note_members();
    `);
  }
}
