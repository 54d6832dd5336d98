import { Migration } from '@mikro-orm/migrations';

export class AuditedAttributeSets extends Migration {
  override up(): void {
    this.addSql(`
      create trigger audit after insert or update or delete on catalog.attribute_sets
        for each row execute function identity.audit('attribute_set', 'id', 'organization_id');

      -- One entry for all attributes that a transaction places, and none for those of a new or deleted set.
      create function catalog.audit_placement() returns trigger language plpgsql as $$ begin
        perform identity.record_change(s.organization_id, 'attribute_set', s.id, 'updated', '{attributes}')
           from catalog.attribute_sets s
          where s.id in (select attribute_set_id from changed_rows)
            and not exists (select from identity.audit_entries e where e.organization_id = s.organization_id and e.subject_id = s.id
                               and e.created_at = now() and (e.action = 'created' or 'attributes' = any(e.fields)));
        return null;
      end $$;
      create trigger audit_placed after insert on catalog.attribute_set_attributes referencing new table as changed_rows
        for each statement execute function catalog.audit_placement();
      create trigger audit_removed after delete on catalog.attribute_set_attributes referencing old table as changed_rows
        for each statement execute function catalog.audit_placement();
    `);
  }
}
